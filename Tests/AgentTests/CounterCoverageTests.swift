import AgentAPI
import Counter
import Foundation
import HubProtocol
import Testing

@testable import Agent

@Suite("What the counter has no key for")
struct CounterCoverageTests {
    /// One request of each kind that the screen sends.
    private static let sent: [CounterRequest] = {
        let sale = SellCall(lines: [])
        return [
            .quote(sale), .sell(sale), .giveUp(key: ""), .signIn(cashierId: "", pin: ""), .signOut,
            .tenders(member: nil), .setManual(SetManualCall(isOn: true)), .retry, .tills,
            .search(text: "", limit: 1),
            .departments, .park(sale, name: nil), .parkedCarts, .resume(cartId: ""),
            .takeCart(cartId: "", AgentPerson()), .fetchCart(cartId: ""),
            .copyCart(cartId: "", AgentPerson()),
            .drop(cartId: "", reason: "", isHandedBack: false), .empty(cartId: "", isHandedBack: false),
            .take(KeepCartCall(nil, revision: 0)), .handBack(KeepCartCall(nil, revision: 0)),
            .orders(limit: 1), .order(id: ""), .receiptLeft(code: ""),
            .refund(
                RefundOrderCall(
                    of: .order(""), lines: [], reason: nil, key: nil, person: AgentPerson(),
                    files: AttachedFiles(paths: []))),
            .refund(
                RefundOrderCall(
                    of: .receipt(""), lines: [], reason: nil, key: nil, person: AgentPerson(),
                    files: AttachedFiles(paths: []))),
            .void(VoidOrderCall(id: "", reason: nil, person: AgentPerson())),
            .unseenSales(seen: nil), .unseenSales(seen: ""), .refusals,
            .resolve(ResolveRefusalCall(id: "", .retry, by: AgentPerson())),
            .addMember(AddMemberCall(phone: "", name: "", person: AgentPerson())),
            .shift, .openShift(OpenShiftCall(float: 0, person: AgentPerson())),
            .moveCash(MoveCashCall(.in, amount: 0, reason: "", person: AgentPerson())),
            .closeShift(CloseShiftCall(counted: 0, person: AgentPerson())), .printer, .printAgain,
            .printTestPage,
            .printCopy(id: ""),
        ]
    }()

    @Test("is what it lists: every request of the agent has a key, or stands in the list, and never both")
    func complete() async throws {
        let till = try await AgentUnderTest()
        let all = till.agent.handler.routeNames
        await till.stop()
        let absent = CounterAbsence.allCases.flatMap(\.routes) + CounterAbsence.unasked
        #expect(Set(absent).isDisjoint(with: Self.sent.map(\.route)))
        #expect(Set(absent).union(Self.sent.map(\.route)) == Set(all))
    }

    private static func page(_ path: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardized
        return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test("is on the cashiers' page with the commands that do it, which the README links")
    func pages() throws {
        let page = try Self.page("docs/cashiers/counter.en.md")
        for absence in CounterAbsence.allCases {
            #expect(page.contains("- \(absence.words): \(absence.commands)\n"), "\(absence)")
        }
        #expect(try Self.page("README.md").contains("docs/cashiers/counter.en.md#not-at-the-counter"))
    }

    @Test("is no capability of the status that a person uses: each of them has a key of the screen")
    func capabilities() async throws {
        let till = try await AgentUnderTest()
        let names = try await till.send(StatusCall()).capabilities.keys
        await till.stop()
        // The requests by which a person uses it; nil: nobody does anything with it.
        let used: [TillModule: CounterRequest?] = [
            .checkout: .sell(SellCall(lines: [])), .cash: .tenders(member: nil),
            .card: .tenders(member: nil), .coupons: .quote(SellCall(lines: [])),
            .priceOverride: .quote(SellCall(lines: [])), .exchange: .sell(SellCall(lines: [])),
            .refund: .refund(
                RefundOrderCall(
                    of: .order(""), lines: [], reason: nil, key: nil, person: AgentPerson(),
                    files: AttachedFiles(paths: []))),
            .void: .void(VoidOrderCall(id: "", reason: nil, person: AgentPerson())),
            .park: .park(SellCall(lines: []), name: nil),
            .manualOffline: .setManual(SetManualCall(isOn: true)), .sync: .refusals,
            .catalogue: .search(text: "", limit: 1), .account: .signOut,
            .member: .addMember(AddMemberCall(phone: "", name: "", person: AgentPerson())),
            .marketing: .quote(SellCall(lines: [])),
        ]
        let byCommand = CounterAbsence.allCases.flatMap(\.routes)
        #expect(byCommand.contains("POST /v1/notes"))
        #expect(Set(names) == Set(used.keys).union([.notes]))
    }
}
