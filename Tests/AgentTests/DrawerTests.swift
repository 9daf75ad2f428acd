import AgentAPI
import HubProtocol
import Testing

@testable import Agent

@Suite("Counting the drawer", .timeLimit(.minutes(2)))
struct DrawerTests {
    /// A till whose open shift should have 100.00 in the drawer.
    private func withDrawer(
        _ keys: String = "", _ body: (AgentUnderTest) async throws -> Void
    ) async throws {
        let feed = [
            Change(
                entity: "product", entityId: "S1", version: 1, isDeleted: false, deletedAt: nil,
                hlc: "1795234567000-000001", origin: nil,
                value: ProductRecord(
                    sku: "S1", barcode: "1", name: "Tea", department: "", priceMinor: 100, currency: "EUR",
                    taxBasisPoints: 0, unit: .each, stockMilli: nil
                ).json)
        ]
        let till = try await AgentUnderTest(feed: feed, keys: keys)
        do {
            _ = try await till.send(OpenShiftCall(float: 10_000, person: AgentPerson()))
            try await body(till)
        } catch {
            await till.stop()
            throw error
        }
        await till.stop()
    }

    private func close(_ counted: Int64, _ isConfirmed: Bool?, at till: AgentUnderTest) async -> String? {
        var call = CloseShiftCall(counted: counted, person: AgentPerson())
        call.isConfirmed = isConfirmed
        let request = call.request
        return await till.refusal(request.method, request.path, request.body)
    }

    private func take(_ amount: Int64, isConfirmed: Bool, at till: AgentUnderTest) async -> String? {
        var call = MoveCashCall(.drop, amount: amount, reason: "safe", person: AgentPerson())
        call.isConfirmed = isConfirmed
        let request = call.request
        return await till.refusal(request.method, request.path, request.body)
    }

    @Test("Without the store's key any count closes; a front end that counts twice is refused once")
    func free() async throws {
        try await withDrawer { till in
            #expect(await close(1, false, at: till) == "count_differs")
            #expect(await close(10_000, false, at: till) == nil)
        }
        try await withDrawer { till in #expect(await close(1, nil, at: till) == nil) }
        try await withDrawer { till in #expect(await close(1, true, at: till) == nil) }
    }

    @Test("A difference above what the store tolerates is counted again, on both sides of the limit")
    func tolerated() async throws {
        let keys = #","shift":{"toleratedDifference":500}"#
        for counted in [9_499, 10_501] as [Int64] {
            try await withDrawer(keys) { till in
                #expect(await close(counted, nil, at: till) == "count_differs")
                #expect(await close(counted, true, at: till) == nil)
            }
        }
        for counted in [9_500, 10_500] as [Int64] {
            try await withDrawer(keys) { till in #expect(await close(counted, nil, at: till) == nil) }
        }
    }

    @Test("More than the drawer should have is taken out only where somebody confirms it")
    func short() async throws {
        try await withDrawer { till in
            #expect(await take(10_001, isConfirmed: false, at: till) == "drawer_short")
            #expect(await take(10_000, isConfirmed: false, at: till) == nil)
            #expect(await take(1, isConfirmed: false, at: till) == "drawer_short")
            #expect(await take(1, isConfirmed: true, at: till) == nil)
        }
    }

    @Test("A store that counts blind shows what should be in the drawer after the count alone")
    func blind() async throws {
        try await withDrawer(#","shift":{"blindCount":"on"}"#) { till in
            let open = try await till.send(ShowShiftCall(id: nil))
            #expect(open.expectedCash == nil && open.report?.contains("Cash expected") == false)
            let total = try await till.send(SellCall(lines: [EnteredLine(barcode: "1")])).sale.total.amount
            #expect(total == 100)
            let list = try await till.send(ShiftListCall(limit: 1)).shifts
            for shift in list + [try await till.send(ShowShiftCall(id: nil))] {
                #expect(shift.sums.tenders.isEmpty && shift.sums.taxes.isEmpty && shift.isBlind)
                for name in ["sales", "refunds", "voids"] {
                    #expect(shift.json[name]?.object?["total"] == .some(.null))
                }
                #expect(shift.json.object?["points"] == .some(.null))
            }
            let after = try await till.send(ShowShiftCall(id: nil))
            #expect(after.sums.sales.count == 1 && after.report?.contains("Amounts are shown after") == true)
            let closed = try await till.send(CloseShiftCall(counted: 9_000, person: AgentPerson()))
            #expect(closed.expectedCash == 10_000 + total && closed.difference == -1_000 - total)
            #expect(closed.sums.sales.total == total && closed.sums.tenders.map(\.amount) == [total])
            #expect(closed.report?.contains("Cash expected") == true)
            // The response to the opening is of an open shift, too.
            let next = try await till.send(OpenShiftCall(float: 10_000, person: AgentPerson()))
            #expect(next.isBlind && next.report?.contains("Cash expected") == false)
        }
    }
}
