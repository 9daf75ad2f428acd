import AgentAPI
import Base
import HubProtocol
import Testing

@testable import Agent

/// A cart that one window has and another one wants, at a complete agent.
@Suite("A cart on another window's screen", .timeLimit(.minutes(5)))
struct CartCopyTests {
    private static let first = "01J0000000000000000000000A;first"
    private static let second = "01J0000000000000000000000B;second"
    private static let cart = "01J0000000000000000000000C"
    // hashlib.scrypt(b"1234", salt=bytes(range(16)), n=2**14, r=8, p=1, dklen=32)
    private static let hash =
        "$scrypt$ln=14,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$WN+87vPtGO4o1fwEttloKNIwtqGZqnsfkSCWNJhrpMg"

    private static func change(_ entity: String, _ id: String, _ value: JSONValue) -> Change {
        Change(
            entity: entity, entityId: id, version: 1, isDeleted: false, deletedAt: nil,
            hlc: "1795234567000-000001", origin: nil, value: value)
    }

    private static let goods = [
        change(
            "product", "S1",
            ProductRecord(
                sku: "S1", barcode: "A1", name: "Tea", department: "", priceMinor: 8_900, currency: "EUR",
                taxBasisPoints: 0, unit: .each, stockMilli: nil, openPrice: false, furtherBarcodes: []
            ).json),
        change("storeConfig", "north-7", ["payments": "none", "points.valueMinor": 1]),
        change("member", "M1", ["name": "Li", "phone": "13800138000", "points": 70]),
        change("member", "M2", ["name": "Wu", "phone": "13800138001", "points": 9]),
    ]

    private static let people = [("li", "cashier"), ("ben", "manager")].map { id, role in
        change("cashier", id, ["name": .string(id), "role": .string(role), "pinHash": .string(hash)])
    }

    /// Runs `body` over a till whose first window has a cart with 50.00 in cash.
    private func withCart(
        of people: [Change], signedIn: String?, _ body: (AgentUnderTest) async throws -> Void
    ) async throws {
        let till = try await AgentUnderTest(feed: Self.goods + people)
        do {
            if let signedIn {
                _ = try await till.send(SessionCall.signIn(cashierId: signedIn, pin: "1234"))
            }
            #expect(try await keep(till) == nil)
            try await body(till)
        } catch {
            await till.stop()
            throw error
        }
        await till.stop()
    }

    private func call(
        _ till: AgentUnderTest, _ call: some AgentCall, as frontEnd: String
    ) async -> AgentResponse {
        var request = call.request
        request.frontEnd = frontEnd
        return await till.agent.handler.handle(request)
    }

    /// The first window keeps its cart; the code of a refusal.
    private func keep(_ till: AgentUnderTest, revision: Int64 = 1) async throws -> String? {
        let basket = SellCall(
            key: Self.cart, lines: [.init(barcode: "A1")],
            payments: [.init(method: "cash", amountMinor: 5_000)], memberId: "M1")
        return await call(till, KeepCartCall(basket, revision: revision), as: Self.first).error?.code
    }

    private func take(
        _ till: AgentUnderTest, approver: AgentPerson.Approver? = nil
    ) async -> AgentResponse {
        await call(
            till, CartCall(id: Self.cart, .take(AgentPerson(approver: approver))), as: Self.second)
    }

    private func screen(_ till: AgentUnderTest) async throws -> String? {
        try await till.send(OpenCartsCall()).carts.first?.frontEnd
    }

    @Test(
        "is taken by an approval alone, with all that was taken for it, and no more the first's")
    func approved() async throws {
        try await withCart(of: Self.people, signedIn: "li") { (till: AgentUnderTest) async throws in
            let plain = await call(till, CartCall(id: Self.cart, .resume), as: Self.second)
            #expect(plain.error?.code == "cart_in_use" && plain.error?.details.frontEnd == Self.first)
            let alone = await take(till)
            #expect(alone.error?.code == "approval_required" && alone.error?.details.action == "cartCopy")
            let same = await take(till, approver: .init(id: "li", pin: "1234"))
            #expect(same.error?.code == "approval_required")
            #expect(await take(till, approver: .init(id: "ben", pin: "4321")).error?.code == "wrong_pin")
            // The window that has it shows who wants it, and nothing of it has moved.
            let waiting = try await till.send(OpenCartsCall()).carts.first
            #expect(waiting?.wantedBy == "second" && waiting?.frontEnd == Self.first)

            let taken = await take(till, approver: .init(id: "ben", pin: "1234"))
            #expect(taken.error == nil)
            let record = try CartRecord(json: taken.body)
            #expect(record.money.inHand == 5_000 && record.memberId == "M1" && record.lines.count == 1)
            #expect(try await screen(till) == Self.second)
            #expect(try await keep(till, revision: 2) == "cart_in_use")
            let sale = SellCall(
                key: Self.cart, lines: [.init(barcode: "A1")],
                payments: [.init(method: "cash", amountMinor: 8_900)])
            #expect(await call(till, sale, as: Self.first).error?.code == "cart_in_use")
            #expect(await call(till, sale, as: Self.second).error == nil)
        }
    }

    @Test("is a manager's without a second person, who says that they mean it")
    func manager() async throws {
        try await withCart(of: Self.people, signedIn: "ben") { (till: AgentUnderTest) async throws in
            let plain = await call(till, CartCall(id: Self.cart, .resume), as: Self.second)
            #expect(plain.error?.code == "cart_in_use")
            #expect(await take(till).error == nil)
            #expect(try await screen(till) == Self.second)
        }
    }

    @Test("is nobody else's in a store where nobody can approve")
    func withoutPeople() async throws {
        try await withCart(of: [], signedIn: nil) { (till: AgentUnderTest) async throws in
            #expect(await take(till).error?.code == "cart_in_use")
            #expect(await take(till, approver: .init(id: "ben", pin: "1234")).error?.code == "cart_in_use")
            #expect(try await screen(till) == Self.first)
        }
    }

    @Test(
        "The points of a status are of the open cart's member: the window's own, else the newest")
    func points() async throws {
        try await withCart(of: [], signedIn: nil) { (till: AgentUnderTest) async throws in
            let any = try await till.send(StatusCall()).running?.points
            #expect(any?.balance == 70 && any?.reason != "points_member_unknown")
            #expect(try await till.send(NextStatusCall(after: 0)).status.running?.points.balance == 70)
            let own = await call(till, StatusCall(), as: Self.first)
            #expect(try StatusResponse(json: own.body).running?.points.balance == 70)
            let other = await call(till, StatusCall(), as: Self.second)
            #expect(try StatusResponse(json: other.body).running?.points.reason == "points_member_unknown")
            #expect(try await till.send(StatusCall(member: "M2")).running?.points.balance == 9)
            _ = await call(till, KeepCartCall(nil, revision: 0), as: Self.first)
            let nobody = try await till.send(StatusCall()).running?.points
            #expect(nobody?.balance == nil && nobody?.reason == "points_member_unknown")
        }
    }

    @Test("A store without cards has none in its list, and a sale by one is refused with the reason")
    func tenders() async throws {
        try await withCart(of: [], signedIn: nil) { (till: AgentUnderTest) async throws in
            let status = try await till.send(StatusCall())
            #expect(status.running?.tenders.map(\.method) == ["cash"])
            #expect(status.capabilities[.card]?.obstacle?.reason == "noPaymentService")
            let sale = SellCall(lines: [.init(barcode: "A1")], payments: [.init(method: "card")])
            let code = await till.refusal("POST", AgentRoutes.sales, sale.request.body)
            #expect(code == "card_offline")
        }
    }
}
