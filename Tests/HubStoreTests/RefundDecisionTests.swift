import Crypto
import Foundation
import HubCore
import HubProtocol
import HubStore
import Testing

/// Refunds and voids that the hub decides before money moves, on both stores.
@Suite("Decisions about refunds")
struct RefundDecisionTests {
    private let key = Curve25519.Signing.PrivateKey()

    private func opened(_ kind: StoreKind) async throws -> TemporaryStore {
        let store = try TemporaryStore(kind)
        try await store.enrol("T1", key: key.publicKey.rawRepresentation.base64EncodedString())
        try await store.enrol("T2")
        try await store.enrol("T9", in: "S9")
        return store
    }

    private func inquiry(
        _ sale: Mutation, _ total: Int64, _ milli: Int64, id: String, kind: RefundInquiry.Kind = .refund
    ) -> RefundInquiry {
        RefundInquiry(
            refundId: id, kind: kind, sale: .number(sale.payload["orderNumber"]?.string ?? ""),
            lines: [.init(sku: "tea", quantityMilli: milli)], amount: total)
    }

    private func decide(
        _ inquiry: RefundInquiry, by till: Till, at now: Int64 = 1_000, in store: TemporaryStore
    ) async throws -> RefundDecision {
        let outcome = try await store.ledger.decide(inquiry, by: till.device, at: now)
        guard case .decided(let decision) = outcome else { throw UnexpectedOutcome(outcome: outcome) }
        return decision
    }

    private struct UnexpectedOutcome: Error {
        let outcome: RefundOutcome
    }

    private func refund(
        of sale: Mutation, _ total: Int64, _ milli: Int64, by till: inout Till, id: String
    ) -> Mutation {
        till.minted(
            "refund.completed",
            [
                "orderId": sale.payload["orderId"] ?? .null, "total": .integer(total),
                "lines": [["sku": "tea", "quantityMilli": .integer(milli)]],
            ], entityId: id)
    }

    private func void(of sale: Mutation, by till: inout Till) -> Mutation {
        let orderId = sale.payload["orderId"]?.string ?? ""
        return till.minted("order.voided", ["orderId": .string(orderId)], entityId: orderId)
    }

    private func head(_ till: Till, at signedAt: Int64) throws -> HeadClaim {
        .signed(
            try #require(
                SignedHead(
                    terminalId: till.device.terminalId, epoch: 1, sequence: till.sequence,
                    hash: till.previousHash, orderCounter: till.sequence, at: signedAt
                ) { _ in "c2lnbmF0dXJl" }))
    }

    private func push(
        _ till: Till, _ mutations: [Mutation], signedAt: Int64, at now: Int64 = 1_000_000
    ) throws -> IntakeRequest {
        IntakeRequest(
            device: till.device, epoch: 1, lowSequence: 1,
            mutations: try mutations.map { try ReceivedMutation(json: $0.json) }, receivedAt: now,
            head: try head(till, at: signedAt))
    }

    @Test(
        "What is granted to one terminal is refused to the others, by decisions and by the intake, and its own refund uses it",
        arguments: StoreKind.all)
    func reserved(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var (till, other) = (Till("T1"), Till("T2"))
        let sale = till.sale()
        _ = try await store.outcomes(till.push([sale]))
        let granted = try await decide(inquiry(sale, 1000, 600, id: "R2"), by: other, in: store)
        #expect(granted.verdict == .granted && granted.returned.isEmpty)
        #expect(granted.left == .init(amount: 250, lines: [.init(sku: "tea", quantityMilli: 400)]))

        let refused = try await decide(inquiry(sale, 300, 300, id: "R1"), by: till, in: store)
        #expect(refused.verdict == .refused && refused.reason == .exceedsSale)
        #expect(refused.left?.amount == 250)
        #expect(refused.returned.map(\.isReserved) == [true])
        #expect(
            refused.returned.first?.place
                == .init(storeId: "S1", terminalNumber: 2, at: "1970-01-01T00:00:01.000Z"))

        let offline = refund(of: sale, 300, 300, by: &till, id: "R1")
        #expect(try await store.outcomes(till.push([offline])) == ["conflict conflict"])
        let made = refund(of: sale, 1000, 600, by: &other, id: "R2")
        #expect(try await store.outcomes(other.push([made])) == ["applied"])

        let late = try await decide(inquiry(sale, 300, 300, id: "R3"), by: till, in: store)
        #expect(late.verdict == .refused && late.left?.amount == 250)
        #expect(late.returned.map(\.isReserved) == [false])
        #expect(late.returned.first?.place?.at == "2026-11-21T00:00:00.000Z")
        #expect(try await decide(inquiry(sale, 250, 400, id: "R3"), by: till, in: store).verdict == .granted)
    }

    @Test(
        "The same inquiry gets the same decision, also once its refund was made; another one under its id takes its place, and what is given back is free",
        arguments: StoreKind.all)
    func repeated(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var (till, other) = (Till("T1"), Till("T2"))
        let sale = till.sale()
        _ = try await store.outcomes(till.push([sale]))
        let first = try await decide(inquiry(sale, 1250, 1000, id: "R"), by: other, in: store)
        #expect(try await decide(inquiry(sale, 1250, 1000, id: "R"), by: other, in: store) == first)
        // The id is the terminal's: the same one of another terminal is another refund.
        #expect(try await decide(inquiry(sale, 1, 1, id: "R"), by: till, in: store).verdict == .refused)
        let less = try await decide(inquiry(sale, 250, 200, id: "R"), by: other, in: store)
        #expect(less.verdict == .granted && less.left?.amount == 1000)
        #expect(try await decide(inquiry(sale, 1001, 1, id: "R"), by: till, in: store).verdict == .refused)
        #expect(try await decide(inquiry(sale, 1000, 800, id: "R"), by: till, in: store).verdict == .granted)
        // Nobody gives back what is another's.
        try await store.ledger.releaseRefund("R", of: DeviceIdentity(terminalId: "T9", storeId: "S9"))
        #expect(try await decide(inquiry(sale, 251, 200, id: "X"), by: other, in: store).verdict == .refused)
        try await store.ledger.releaseRefund("R", of: till.device)
        try await store.ledger.releaseRefund("R", of: till.device)
        #expect(try await decide(inquiry(sale, 251, 200, id: "X"), by: other, in: store).verdict == .granted)
        // One of the same terminal counts in its next one, and not in what it records.
        let mine = refund(of: sale, 250, 200, by: &other, id: "R")
        #expect(try await store.outcomes(other.push([mine])) == ["applied"])
        let again = try await decide(inquiry(sale, 250, 200, id: "R"), by: other, in: store)
        #expect(again.verdict == .granted && again.returned.count == 2)
    }

    @Test(
        "Without its mutation a grant stays until a head that was signed after it has arrived with all before it",
        arguments: StoreKind.all)
    func abandoned(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var (till, other) = (Till("T1"), Till("T2"))
        let sale = till.sale()
        _ = try await store.outcomes(till.push([sale]))
        func verdict() async throws -> RefundDecision.Verdict {
            let decision = try await decide(inquiry(sale, 1, 1, id: "R1"), by: till, in: store)
            try await store.ledger.releaseRefund("R1", of: till.device)
            return decision.verdict
        }
        var all = inquiry(sale, 1250, 1000, id: "R2")
        #expect(try await decide(all, by: other, at: 40_000, in: store).verdict == .granted)
        // The same again, by a clock that is 5 s ahead of the hub's.
        all.date = 55_000
        #expect(try await decide(all, by: other, at: 50_000, in: store).verdict == .granted)
        // Signed before, and of a clock that is behind.
        _ = try await store.outcomes(push(other, [other.sale(number: "S1-2-19700101-1")], signedAt: 49_000))
        #expect(try await verdict() == .refused)
        // Signed before by the same clock, and under way when it was granted.
        _ = try await store.outcomes(push(other, [], signedAt: 54_000))
        #expect(try await verdict() == .refused)
        // Signed after it, while something is missing.
        let missing = other.sale(number: "S1-2-19700101-2")
        let last = other.sale(number: "S1-2-19700101-3")
        _ = try await store.outcomes(push(other, [last], signedAt: 60_000))
        #expect(try await verdict() == .refused)
        _ = try await store.outcomes(push(other, [missing], signedAt: 70_000))
        #expect(try await verdict() == .granted)
    }

    @Test(
        "Of a sale that is not here nothing is known, and of another store's only by its signed receipt",
        arguments: StoreKind.all)
    func rights(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var till = Till("T1")
        let foreign = Till("T9", store: "S9")
        let sale = till.sale()
        let early = try await decide(inquiry(sale, 1, 1, id: "R"), by: till, in: store)
        #expect(early == RefundDecision(.unknown))
        _ = try await store.outcomes(till.push([sale]))
        let refused = try await decide(inquiry(sale, 1, 1, id: "R"), by: foreign, in: store)
        #expect(refused == RefundDecision(.refused, reason: .foreignStore))

        func receipt(by key: Curve25519.Signing.PrivateKey, _ kind: RefundInquiry.Kind = .refund) throws
            -> RefundInquiry
        {
            let code = try #require(
                ReceiptCode(
                    terminalId: "T1", orderNumber: sale.payload["orderNumber"]?.string ?? "", soldAt: 1,
                    currency: "CNY", total: 1250, lines: []
                ) { try? key.signature(for: $0).base64EncodedString() })
            return RefundInquiry(
                refundId: "R", kind: kind, sale: .receipt(code.text),
                lines: [.init(sku: "tea", quantityMilli: 1000)], amount: 1250)
        }
        let forged = try receipt(by: Curve25519.Signing.PrivateKey())
        #expect(try await store.ledger.decide(forged, by: foreign.device, at: 1) == .receiptInvalid)
        let void = try await decide(receipt(by: key, .void), by: foreign, in: store)
        #expect(void.reason == .foreignStore)
        #expect(try await decide(receipt(by: key), by: foreign, in: store).verdict == .granted)
        #expect(try await decide(inquiry(sale, 1, 1, id: "R"), by: till, in: store).verdict == .refused)
        _ = try await store.ledger.revoke("T9", at: 2)
        #expect(try await decide(inquiry(sale, 1, 1, id: "R"), by: till, in: store).verdict == .granted)
    }

    @Test(
        "A void needs a sale of which nothing is back or reserved, and keeps everybody else from refunding it",
        arguments: StoreKind.all)
    func voids(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var (till, other) = (Till("T1"), Till("T2"))
        let (sale, another) = (till.sale(), till.sale())
        _ = try await store.outcomes(till.push([sale, another]))
        let orderId = sale.payload["orderId"]?.string ?? ""
        func void(_ sale: Mutation, _ till: Till) async throws -> RefundDecision {
            try await decide(
                inquiry(sale, 1250, 1000, id: sale.payload["orderId"]?.string ?? "", kind: .void), by: till,
                in: store)
        }
        #expect(try await void(sale, till).verdict == .granted)
        #expect(try await void(sale, other).reason == .voided)
        #expect(try await decide(inquiry(sale, 1, 1, id: "R"), by: other, in: store).reason == .voided)
        let offline = refund(of: sale, 1, 1, by: &other, id: "R")
        #expect(try await store.outcomes(other.push([offline])) == ["conflict conflict"])
        #expect(try await store.outcomes(till.push([self.void(of: sale, by: &till)])) == ["applied"])
        let late = try await decide(inquiry(sale, 1, 1, id: "R"), by: other, in: store)
        #expect(late.reason == .voided && late.left?.amount == 0)
        #expect(late.returned.map(\.refundId) == [orderId] && late.returned.first?.isVoid == true)
        #expect(try await void(sale, till).verdict == .granted)

        #expect(try await decide(inquiry(another, 1, 1, id: "R"), by: other, in: store).verdict == .granted)
        #expect(try await void(another, till).reason == .refunded)
        let early = self.void(of: another, by: &till)
        #expect(try await store.outcomes(till.push([early])) == ["conflict conflict"])
    }

    @Test(
        "One terminal reserves twenty refunds and no more, and what has ended makes room",
        arguments: StoreKind.all)
    func limited(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var (till, other) = (Till("T1"), Till("T2"))
        let sale = till.sale()
        _ = try await store.outcomes(till.push([sale]))
        for number in 1...RefundInquiry.mostOpen {
            let inquiry = inquiry(sale, 1, 1, id: "R\(number)")
            #expect(try await decide(inquiry, by: other, in: store).verdict == .granted)
        }
        let more = inquiry(sale, 1, 1, id: "more")
        #expect(try await store.ledger.decide(more, by: other.device, at: 1) == .tooMany)
        #expect(try await decide(inquiry(sale, 1, 1, id: "R1"), by: other, in: store).verdict == .granted)
        #expect(try await decide(more, by: till, in: store).verdict == .granted)
        _ = try await store.outcomes(push(other, [other.minted()], signedAt: 500_000))
        #expect(try await decide(more, by: other, in: store).verdict == .granted)
    }

    @Test("Twenty decisions at one instant about the last piece: one is granted", arguments: StoreKind.all)
    func race(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var till = Till("T1")
        for round in 0..<10 {
            let sale = till.sale()
            _ = try await store.outcomes(till.push([sale]))
            let verdicts = try await withThrowingTaskGroup(of: RefundDecision.Verdict.self) { group in
                for number in 0..<20 {
                    let inquiry = inquiry(sale, 1250, 1000, id: "R\(round)-\(number)")
                    let till = Till(number.isMultiple(of: 2) ? "T1" : "T2")
                    group.addTask { try await decide(inquiry, by: till, in: store).verdict }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(verdicts.filter { $0 == .granted }.count == 1)
        }
    }
}
