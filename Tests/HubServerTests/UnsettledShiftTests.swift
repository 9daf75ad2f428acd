import HubCore
import HubProtocol
import HubServer
import TestKit
import Testing

/// Shifts of tills that are gone.
@Suite("Shifts that are not settled")
struct UnsettledShiftTests {
    private func shown(_ shiftId: String, _ hub: HubInProcess) async throws -> ListRow<ShiftMember> {
        ListRow(try await hub.perform(.backOffice(.showShift(shiftId))))
    }

    private func missing(_ shift: ListRow<ShiftMember>) -> [Int64]? {
        shift[.missing]?.array?.compactMap(\.integer)
    }

    @Test(
        "An open shift says what it comes to so far, what is missing, and when its till was last heard",
        arguments: HubStoreKind.all)
    func open(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var maker = try await PieceMaker(hub)
        let keeper = try await hub.enrol()
        let key = try #require(hub.sealingKey)
        let (before, shift) = (TillOverHTTP.ulid(), TillOverHTTP.ulid())
        var entries = [maker.journal.shiftOpened(before), maker.journal.sale(in: before)]
        entries.append(maker.journal.shiftClosed(before, from: 1, sales: [1_250]))
        entries.append(maker.journal.shiftOpened(shift))
        for _ in 0..<4 { entries.append(maker.journal.sale(in: shift)) }
        _ = try await maker.journal.push(Array(entries[0...4]), on: hub)
        var open = try await shown(shift, hub)
        #expect(open.text(.state) == "open" && missing(open) == [] && open[.lastHeard] == nil)
        #expect(open[.soFar]?["sales"] == ["count": 1, "total": 1_250])
        // Of the three others one came by another till, which has seen the last one's head.
        let piece = try maker.piece([entries[6]], end: entries[7], to: key)
        _ = try await hub.request("POST", Routes.relayed, headers: keeper.headers, bytes: piece)
        open = try await shown(shift, hub)
        #expect(open.text(.state) == "open" && missing(open) == [6, 8])
        #expect(open[.soFar]?["sales"] == ["count": 2, "total": 2_500])
        #expect(open[.lastHeard]?.string != nil && open[.sales] == nil)
        // In lists as well; a shift that is settled has none of it.
        let listed = try await hub.perform(.backOffice(.listShifts(.init(SalesFilter()), state: nil)))
        let rows = (listed["shifts"]?.array ?? []).map(ListRow<ShiftMember>.init)
        let found = Dictionary(uniqueKeysWithValues: rows.map { ($0.text(.shiftId), missing($0)) })
        #expect(found == [shift: [6, 8], before: nil])
        #expect(try await shown(before, hub).text(.state) == "confirmed")
    }

    @Test("A shift that cannot be compared names what it waits for", arguments: HubStoreKind.all)
    func closed(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var maker = try await PieceMaker(hub)
        let shift = TillOverHTTP.ulid()
        var entries = [maker.journal.sale(), maker.journal.sale(), maker.journal.shiftOpened(shift)]
        for _ in 0..<3 { entries.append(maker.journal.sale(in: shift)) }
        entries.append(maker.journal.shiftClosed(shift, from: 3, sales: [1_250, 1_250, 1_250]))
        entries += [maker.journal.sale(), maker.journal.sale()]
        _ = try await maker.journal.push([0, 2, 3, 6, 8].map { entries[$0] }, on: hub)
        let waiting = try await shown(shift, hub)
        // What lies behind its end is not its own.
        #expect(waiting.text(.state) == "provisional" && missing(waiting) == [2, 5, 6])
        #expect(waiting[.soFar] == nil && waiting[.sales]?["count"] == 3)
        _ = try await maker.journal.push([1, 4, 5].map { entries[$0] }, on: hub)
        let settled = try await shown(shift, hub)
        #expect(settled.text(.state) == "confirmed" && settled[.missing] == nil)
    }
}
