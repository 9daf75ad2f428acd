import HubCore
import HubProtocol
import HubStore
import Testing

/// Closed shifts against the hub's copy of the journal.
@Suite("Shifts at the hub")
struct ShiftTests {
    /// A till with an open shift, which adds up what it does.
    private struct Drawer {
        var till: Till
        var tally = ShiftTally()
        private(set) var entries: [Mutation] = []
        let opening: ShiftOpening

        init(_ till: Till = Till(), shiftId: String = Till.ulid()) {
            self.till = till
            opening = ShiftOpening(
                shiftId: shiftId, businessDay: "2026-11-21", timeZone: "Asia/Shanghai", currency: "CNY",
                openedAt: 1_000, openedBy: nil, float: 500)
            entries = [self.till.minted(ShiftOpening.type, opening.json, entityId: opening.shiftId)]
        }

        var from: Int64 { entries[0].sequence }

        /// A sale in this shift; a negative total is one that the hub refuses.
        @discardableResult
        mutating func sell(
            _ price: Int64, total: Int64? = nil, in shiftId: String? = nil, supersedes: String? = nil
        ) throws -> Mutation {
            var other = Till("T8")
            var payload = other.sale(number: "N-\(Till.ulid())", price: price).payload.object ?? [:]
            payload["shiftId"] = .string(shiftId ?? opening.shiftId)
            if let total { payload["total"] = .integer(total) }
            return try append(
                till.minted(
                    "order.completed", .object(payload), entityId: payload["orderId"]?.string ?? "",
                    supersedes: supersedes))
        }

        @discardableResult
        mutating func void(_ sale: Mutation) throws -> Mutation {
            try append(
                till.minted(
                    "order.voided",
                    [
                        "orderId": .string(sale.entityId), "total": sale.payload["total"] ?? .null,
                        "shiftId": .string(opening.shiftId),
                    ], entityId: sale.entityId))
        }

        mutating func take(_ amount: Int64) throws {
            let move = CashMove(
                moveId: Till.ulid(), shiftId: opening.shiftId, kind: .out, amount: amount, currency: "CNY",
                reason: "window", cashierId: nil, businessDay: "2026-11-21", timeZone: "Asia/Shanghai")
            try append(till.minted(CashMove.type, move.json, entityId: move.moveId))
        }

        /// An entry that is not counted here.
        mutating func write(
            _ type: String, _ payload: JSONValue, entityId: String, supersedes: String? = nil
        ) -> Mutation {
            var members = payload.object ?? [:]
            members["shiftId"] = .string(opening.shiftId)
            entries.append(
                till.minted(type, .object(members), entityId: entityId, supersedes: supersedes))
            return entries[entries.count - 1]
        }

        @discardableResult
        private mutating func append(_ mutation: Mutation) throws -> Mutation {
            entries.append(mutation)
            guard (mutation.payload["total"]?.integer ?? 0) >= 0,
                mutation.payload["shiftId"]?.string == opening.shiftId
            else { return mutation }
            let orderId = ShiftTally.voidedOrder(by: mutation.type, mutation.payload)
            tally.add(
                id: mutation.id, type: mutation.type, payload: mutation.payload,
                voided: orderId.flatMap { id in
                    entries.first { $0.type == "order.completed" && $0.entityId == id }?.payload
                })
            return mutation
        }

        /// Counts the drawer; `change` alters what is written.
        mutating func close(_ change: (inout ShiftClosing) -> Void = { _ in }) -> Mutation {
            let last = entries[entries.count - 1]
            var closing = ShiftClosing(
                opening: opening, closedAt: 2_000, closedBy: nil,
                cash: ShiftClosing.Cash(
                    expected: tally.sums.expectedCash(float: opening.float), counted: 0),
                counted: [], sums: tally.sums, from: from, to: last.sequence, head: last.hash)
            change(&closing)
            entries.append(till.minted(ShiftClosing.type, closing.json, entityId: opening.shiftId))
            return entries[entries.count - 1]
        }
    }

    private let now: Int64 = 5_000

    /// Compares and settles all that waits, with a signature that nobody looks at here.
    private func settlements(_ store: TemporaryStore) async throws -> [ShiftSettlement] {
        let comparing = ShiftComparing(store.ledger)
        var settlements: [ShiftSettlement] = []
        for shift in try await comparing.ready() {
            let parts = try #require(try await comparing.parts(of: shift))
            var compared = try await comparing.compared(shift, in: parts, at: now)
            for place in compared.indices {
                (compared[place].statement.keyId, compared[place].statement.signature) = ("k", "c2ln")
            }
            settlements.append(try await comparing.settle(shift, with: compared, at: now))
        }
        return settlements
    }

    private func feed(_ store: TemporaryStore, of terminalId: String) async throws -> [ShiftStatement] {
        let page = try await store.ledger.changes(
            after: nil, limit: 50, audiences: ["S1", FeedAudience.terminal(terminalId)])
        return try (page?.changes ?? []).filter { $0.entity == "statement" && !$0.isDeleted }.map {
            try ShiftStatement(json: #require($0.value))
        }
    }

    @Test(
        "The audit compares a confirmed shift with the documents of its entries", arguments: StoreKind.all)
    func audited(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        try await store.enrol("T1")
        var drawer = Drawer()
        let first = try drawer.sell(300)
        try drawer.sell(450)
        try drawer.void(first)
        try drawer.take(120)
        _ = drawer.close()
        // Of no shift: a document that counts for none.
        _ = try await store.take(drawer.till.push(drawer.entries + [drawer.till.sale()]))
        #expect(try await settlements(store).map(\.state) == [.confirmed])
        #expect(try await store.ledger.audit(terminal: "T1").first?.differingSums == [])
        // What the hub confirmed of sales, of a tender: another sum than the documents have.
        for (part, other) in [("\"total\":750", "\"total\":751"), ("\"amount\":450", "\"amount\":451")] {
            try await store.execute(
                "UPDATE shifts SET statements = replace(statements, '\(part)', '\(other)')")
            let differing = try await store.ledger.audit(terminal: "T1").first?.differingSums
            #expect(differing == [drawer.opening.shiftId], "\(part)")
            try await store.execute(
                "UPDATE shifts SET statements = replace(statements, '\(other)', '\(part)')")
        }
        #expect(try await store.ledger.audit(terminal: "T1").first?.differingSums == [])
        // What the feed has of the drawer: of the cash that was taken out, and of the float.
        for (part, other) in [("\"amount\":120", "\"amount\":121"), ("\"amount\":500", "\"amount\":400")] {
            func change(_ part: String, into other: String) async throws {
                try await store.execute(
                    "UPDATE documents SET document = replace(document, '\(part)', '\(other)') "
                        + "WHERE kind = 'cash'")
            }
            try await change(part, into: other)
            let differing = try await store.ledger.audit(terminal: "T1").first?.differingSums
            #expect(differing == [drawer.opening.shiftId], "\(part)")
            try await change(other, into: part)
        }
        #expect(try await store.ledger.audit(terminal: "T1").first?.differingSums == [])
    }

    @Test(
        "Sums that are the journal's are confirmed, and only the terminal itself gets the statement",
        arguments: StoreKind.all)
    func confirmed(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        // An entry before the shift is not counted, nor one behind its end.
        var till = Till()
        let before = till.sale()
        var drawer = Drawer(till)
        let first = try drawer.sell(300)
        try drawer.sell(450)
        try drawer.void(first)
        try drawer.take(120)
        _ = drawer.close()
        let after = drawer.till.sale()
        _ = try await store.take(drawer.till.push([before] + drawer.entries + [after]))
        let settlement = try #require(try await settlements(store).first)
        #expect(settlement.state == .confirmed, "\(settlement)")
        let statement = try #require(try await feed(store, of: "T1").first)
        #expect(statement.from == 2 && statement.to == 6 && statement.sold == 5 && statement.gap == 0)
        #expect(statement.head == drawer.entries[4].hash)
        #expect(statement.sums == drawer.tally.sums && statement.sums.voids.total == 300)
        #expect(statement.sums.expectedCash(float: 500) == 500 + 450 - 120)
        #expect(try await feed(store, of: "T2") == [])
        #expect(try await settlements(store) == [], "compared once")
    }

    @Test("A shift waits for the last of its entries, in whatever order they come", arguments: StoreKind.all)
    func late(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var drawer = Drawer()
        try drawer.sell(300)
        try drawer.sell(450)
        let closing = drawer.close()
        _ = try await store.take(drawer.till.push([drawer.entries[0], drawer.entries[1], closing]))
        #expect(try await settlements(store) == [])
        #expect(try await ShiftComparing(store.ledger).isWaiting("T1"))
        _ = try await store.take(drawer.till.push([drawer.entries[2]]))
        #expect(try await settlements(store).map(\.state) == [.confirmed])
    }

    @Test(
        "Other sums or another head than the journal's are disputed, with what differs",
        arguments: StoreKind.all)
    func disputed(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var (wrong, moved) = (Drawer(), Drawer(Till("T2")))
        try wrong.sell(300)
        try moved.sell(300)
        _ = wrong.close { $0.sums.sales.total -= 1 }
        _ = moved.close { $0.head = String(repeating: "0", count: 64) }
        _ = try await store.take(wrong.till.push(wrong.entries))
        _ = try await store.take(moved.till.push(moved.entries))
        let found = try await settlements(store)
        #expect(found.map(\.state) == [.disputed, .disputed])
        #expect(
            found[0].differences.map(\.json)
                == [["figure": "sales.total", "terminal": 299, "hub": 300]])
        #expect(found[0].isHeadEqual && !found[1].isHeadEqual && found[1].differences.isEmpty)
    }

    @Test(
        "A sale that the hub refused makes a dispute until an edit of it, or of that, is accepted",
        arguments: StoreKind.all)
    func edited(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var drawer = Drawer()
        let bad = try drawer.sell(300, total: -1)
        let again = try drawer.sell(300, total: -1, supersedes: bad.id)
        try drawer.sell(450)
        // The till counted it as it was sold.
        var sold = Drawer()
        try sold.sell(300)
        try sold.sell(450)
        let sums = sold.tally.sums
        _ = drawer.close { $0.sums = sums }
        _ = try await store.take(drawer.till.push(drawer.entries))
        #expect(try await settlements(store).map(\.state) == [.disputed])
        let good = try drawer.sell(300, supersedes: again.id)
        #expect(try await store.outcomes(drawer.till.push([good])) == ["applied"])
        #expect(try await settlements(store).map(\.state) == [.confirmed])
        // What it is compared for is done once: a push that comes again changes nothing.
        #expect(try await store.outcomes(drawer.till.push([good])) == ["duplicate"])
        #expect(try await settlements(store) == [])
        #expect(try await feed(store, of: "T1").map(\.sums) == [sums])
    }

    @Test(
        "A restored database has a statement for each epoch; a sale that it lost is the difference",
        arguments: StoreKind.all, [false, true])
    func restored(_ kind: StoreKind, losing: Bool) async throws {
        let store = try TemporaryStore(kind)
        var drawer = Drawer()
        try drawer.sell(300)
        var copy = drawer
        if losing { try drawer.sell(1_000) }
        _ = try await store.take(drawer.till.push(drawer.entries, epoch: 1, lowSequence: 1))
        try copy.sell(450)
        _ = copy.close()
        // It sends what it has from the begin of its outbox: the sale that the hub knows comes again.
        _ = try await store.take(
            copy.till.push(Array(copy.entries.dropFirst()), epoch: 2, lowSequence: 2))
        let settlement = try #require(try await settlements(store).first)
        let statements = try await feed(store, of: "T1").sorted { $0.epoch < $1.epoch }
        #expect(statements.map(\.epoch) == [1, 2])
        #expect(statements.map(\.sums.sales.count) == (losing ? [2, 1] : [1, 1]))
        #expect(settlement.state == (losing ? .disputed : .confirmed), "\(settlement)")
        if losing {
            #expect(
                settlement.differences.contains {
                    $0.figure == "sales.total" && $0.hub - $0.terminal == 1_000
                })
        }
    }

    @Test(
        "A clone that closes the shift again makes it disputed, with what the other one sold",
        arguments: StoreKind.all)
    func cloned(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var drawer = Drawer()
        try drawer.sell(300)
        var clone = drawer
        try clone.sell(7_000)
        try drawer.sell(450)
        _ = drawer.close()
        _ = try await store.take(drawer.till.push(drawer.entries, epoch: 1, lowSequence: 1))
        #expect(try await settlements(store).map(\.state) == [.confirmed])
        _ = clone.close()
        _ = try await store.take(clone.till.push(Array(clone.entries.dropFirst(2)), epoch: 2, lowSequence: 3))
        let both = try #require(try await settlements(store).first)
        #expect(both.state == .disputed)
        let total = both.differences.first { $0.figure == "sales.total" }
        #expect(total?.terminal == 7_300 && total?.hub == 7_750)
        let kept = try await kept(drawer, in: store)
        #expect(kept["state"] == "disputed" && kept["epoch"] == "2")
        // What each side has: the clone its own closing, the other one a later epoch's end.
        let statements = try await feed(store, of: "T1").sorted { $0.epoch < $1.epoch }
        #expect(statements.map(\.epoch) == [1, 2] && statements.allSatisfy { $0.gap == 0 })
        func shown(_ drawer: Drawer, _ epoch: Int64) throws -> ShiftSettlement {
            let closing = drawer.entries.last { $0.type == ShiftClosing.type }
            return ShiftSettlement(
                try ShiftClosing(json: try #require(closing?.payload)), statements, arrivedIn: epoch)
        }
        #expect(try shown(clone, 2) == both)
        #expect(try shown(drawer, 1).state == .disputed && !(try shown(drawer, 1).isHeadEqual))
    }

    /// Some columns of the shift as the hub keeps it.
    private func kept(_ drawer: Drawer, in store: TemporaryStore) async throws -> [String: String] {
        let rows = try await store.ledger.rows(of: ShiftQuery.shift(drawer.opening.shiftId))
        #expect(rows.count == 1)
        return Dictionary(
            uniqueKeysWithValues: ["state", "epoch", "behind"].compactMap { column in
                rows.first?.text(column).map { (column, $0) }
            })
    }

    @Test(
        "A confirmed shift that a restored database sells in is disputed, and compared anew when it closes",
        arguments: StoreKind.all, [false, true])
    func closedTwice(_ kind: StoreKind, losing: Bool) async throws {
        let store = try TemporaryStore(kind)
        var drawer = Drawer()
        try drawer.sell(300)
        var restored = drawer
        if losing { try drawer.sell(450) }
        _ = drawer.close()
        _ = try await store.take(drawer.till.push(drawer.entries, epoch: 1, lowSequence: 1))
        #expect(try await settlements(store).map(\.state) == [.confirmed])
        let sale = try restored.sell(90)
        _ = try await store.take(restored.till.push([sale], epoch: 2, lowSequence: 3))
        let id = drawer.opening.shiftId
        #expect(try await kept(drawer, in: store) == ["state": "disputed", "epoch": "1", "behind": "1"])
        // An edit does not hide it.
        try await reconsider(id, in: store)
        #expect(try await settlements(store).count == 1)
        #expect(try await kept(drawer, in: store)["state"] == "disputed")
        _ = restored.close()
        _ = try await store.take(restored.till.push([restored.entries[3]], epoch: 2, lowSequence: 3))
        let again = try #require(try await settlements(store).first)
        #expect(again.state == (losing ? .disputed : .confirmed), "\(again)")
        #expect(
            try await kept(drawer, in: store)
                == ["state": again.state.rawValue, "epoch": "2", "behind": "0"])
        let statements = try await feed(store, of: "T1").sorted { $0.epoch < $1.epoch }
        #expect(statements.map(\.sums.sales.total) == (losing ? [750, 90] : [300, 90]))
        // An earlier epoch's closing that comes once more changes nothing.
        _ = try await store.take(drawer.till.push(drawer.entries, epoch: 1, lowSequence: 1))
        #expect(try await settlements(store) == [])
    }

    private func reconsider(_ shiftId: String, in store: TemporaryStore) async throws {
        _ = try await store.ledger.change(by: [ShiftQuery.reconsideration(of: shiftId, of: "T1")])
    }

    @Test("A sale behind the end in the same epoch disputes a confirmed shift", arguments: StoreKind.all)
    func behind(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var drawer = Drawer()
        let first = try drawer.sell(300)
        _ = drawer.close()
        _ = try await store.take(drawer.till.push(drawer.entries))
        _ = try await settlements(store)
        // What was there before the end changes nothing, also when it is pushed once more.
        _ = try await store.take(drawer.till.push([first]))
        #expect(
            try await kept(drawer, in: store) == ["state": "confirmed", "epoch": "1", "behind": "0"])
        let late = try drawer.sell(10)
        for _ in 0..<2 { _ = try await store.take(drawer.till.push([late])) }
        #expect(try await kept(drawer, in: store) == ["state": "disputed", "epoch": "1", "behind": "1"])
    }

    @Test(
        "A closing that says that its shift began later is measured by all that carries the shift's id",
        arguments: StoreKind.all, [false, true])
    func later(_ kind: StoreKind, afterAnother: Bool) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        if afterAnother {
            var before = Drawer(till)
            try before.sell(100)
            _ = before.close()
            _ = try await store.take(before.till.push(before.entries))
            #expect(try await settlements(store).map(\.state) == [.confirmed])
            till = before.till
        }
        var drawer = Drawer(till)
        try drawer.sell(30_000)
        let last = try drawer.sell(100)
        var sums = ShiftTally()
        sums.add(id: last.id, type: last.type, payload: last.payload, voided: nil)
        _ = drawer.close { closing in
            (closing.from, closing.sums) = (last.sequence, sums.sums)
        }
        _ = try await store.take(drawer.till.push(drawer.entries))
        let settlement = try #require(try await settlements(store).first)
        #expect(settlement.state == .disputed)
        #expect(settlement.differences.contains { $0.figure == "sales.total" && $0.hub == 30_100 })
        // The terminal comes to the same by the statement.
        let statement = try #require(try await feed(store, of: "T1").last)
        #expect(statement.sums.sales.total == 30_100)
    }

    @Test(
        "Sales with a shift's id within an earlier closed shift are found, whichever is compared first",
        arguments: StoreKind.all, [false, true])
    func withinAnother(_ kind: StoreKind, laterFirst: Bool) async throws {
        let store = try TemporaryStore(kind)
        var before = Drawer()
        try before.sell(100)
        // 300.00 with the id of a shift that begins later, among the entries of this one.
        let next = Till.ulid()
        let hidden = try before.sell(30_000, in: next)
        try before.sell(100)
        _ = before.close()
        var drawer = Drawer(before.till, shiftId: next)
        try drawer.sell(100)
        _ = drawer.close()
        if laterFirst {
            // Both wait when the hub compares; the order is that of their ids.
            _ = try await store.take(drawer.till.push(before.entries + drawer.entries))
            while try await !settlements(store).isEmpty {}
        } else {
            _ = try await store.take(before.till.push(before.entries))
            #expect(try await settlements(store).map(\.state) == [.confirmed])
            _ = try await store.take(drawer.till.push(drawer.entries))
            #expect(try await settlements(store).map(\.state) == [.disputed])
        }
        #expect(try await kept(before, in: store)["state"] == "confirmed")
        #expect(try await kept(drawer, in: store)["state"] == "disputed")
        let statement = try #require(
            try await feed(store, of: "T1").last { $0.shiftId == drawer.opening.shiftId })
        #expect(statement.sums.sales.total == 30_100)
        #expect(hidden.sequence >= statement.from)
        #expect(try await settlements(store).isEmpty)
    }

    @Test("A sale behind a shift's end, within the next shift, disputes it", arguments: StoreKind.all)
    func withinTheNext(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var drawer = Drawer()
        let counted = try drawer.sell(100)
        let hidden = try drawer.sell(30_000)
        var sums = ShiftTally()
        sums.add(id: counted.id, type: counted.type, payload: counted.payload, voided: nil)
        // The closing ends before the second sale, which arrives before it.
        _ = drawer.close { closing in
            (closing.to, closing.head, closing.sums) = (counted.sequence, counted.hash, sums.sums)
        }
        var next = Drawer(drawer.till)
        try next.sell(100)
        let opening = next.opening
        _ = next.close { closing in
            closing.from = hidden.sequence; closing.opening = opening
        }
        _ = try await store.take(drawer.till.push(drawer.entries))
        _ = try await settlements(store)
        _ = try await store.take(next.till.push(next.entries))
        while try await !settlements(store).isEmpty {}
        #expect(try await kept(drawer, in: store)["state"] == "disputed")
    }

    @Test(
        "A statement that was published before keys had a terminal's id is replaced, not doubled",
        arguments: StoreKind.all)
    func earlierKey(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var drawer = Drawer()
        try drawer.sell(300)
        _ = drawer.close()
        _ = try await store.take(drawer.till.push(drawer.entries))
        _ = try await settlements(store)
        let statement = try #require(try await feed(store, of: "T1").first)
        // As a hub of before kept it, beside that of another terminal with the same shift's id.
        let old = "\(statement.shiftId)-\(statement.epoch)"
        try await store.execute("UPDATE changes SET entity_id = '\(old)' WHERE entity = 'statement'")
        try await store.execute("UPDATE shifts SET state = 'provisional'")
        _ = try await settlements(store)
        #expect(try await feed(store, of: "T1") == [statement])
    }

    @Test("A shift of another terminal with the same id takes no statement away", arguments: StoreKind.all)
    func sameId(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var drawer = Drawer()
        try drawer.sell(300)
        _ = drawer.close()
        _ = try await store.take(drawer.till.push(drawer.entries))
        _ = try await settlements(store)
        let statements = try await feed(store, of: "T1")
        #expect(statements.count == 1)
        var other = Till("T9", store: "S9")
        let opening = other.minted(ShiftOpening.type, drawer.opening.json, entityId: "x")
        var closing = ShiftClosing(
            opening: drawer.opening, closedAt: 2_000, closedBy: nil,
            cash: ShiftClosing.Cash(expected: 500, counted: 500), counted: [], sums: ShiftSums(), from: 1,
            to: 1, head: opening.hash)
        closing.opening.shiftId = drawer.opening.shiftId
        let closed = other.minted(ShiftClosing.type, closing.json, entityId: "x")
        _ = try await store.take(other.push([opening, closed]))
        #expect(try await settlements(store).count == 1)
        #expect(try await feed(store, of: "T1") == statements)
        #expect(try await feed(store, of: "T9").count == 1)
    }

    @Test(
        "Shifts whose entries never come, and many that are there, take no place of another terminal's",
        arguments: StoreKind.all)
    func fairness(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var hostile = Drawer(Till("A1"))
        for number in 0..<130 as Range<Int64> {
            _ = hostile.close { closing in
                closing.opening.shiftId = Till.ulid()
                (closing.from, closing.to) = (1_000_000 + 2 * number, 1_000_001 + 2 * number)
            }
        }
        for number in 0..<10 as Range<Int64> {
            _ = hostile.close { closing in
                closing.opening.shiftId = Till.ulid()
                (closing.from, closing.to) = (2 * number + 1, 2 * number + 2)
            }
        }
        for part in stride(from: 0, to: hostile.entries.count, by: 50) {
            _ = try await store.take(hostile.till.push(Array(hostile.entries[part...].prefix(50))))
        }
        var drawer = Drawer(Till("T2"))
        let sale = try drawer.sell(300)
        _ = drawer.close()
        _ = try await store.take(drawer.till.push([drawer.entries[0], drawer.entries[2]]))
        let comparing = ShiftComparing(store.ledger)
        #expect(try await comparing.ready().filter { $0.terminalId == "T2" } == [])
        #expect(try await comparing.terminals() == ["A1", "T2"])
        _ = try await store.take(drawer.till.push([sale]))
        let ready = try await comparing.ready()
        #expect(ready.map(\.terminalId) == ["A1", "A1", "A1", "A1", "T2"])
        #expect(try await comparing.ready(behind: "A1").map(\.terminalId) == ["T2"])
        #expect(try await comparing.ready(of: "A1").count == 4)
        #expect(try await comparing.ready(behind: "T2") == [])
    }

    @Test("A closing over another one's entries is flagged and not compared", arguments: StoreKind.all)
    func overlapping(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var drawer = Drawer()
        try drawer.sell(300)
        _ = drawer.close()
        _ = drawer.close { $0.opening.shiftId = Till.ulid() }
        _ = drawer.close { $0.sums.sales.count += 1 }
        let response = try #require(try await store.take(drawer.till.push(drawer.entries)))
        let overlaps = response.results.map { result in
            result.json["flags"]?.array?.contains("shift_overlaps") ?? false
        }
        #expect(overlaps == [false, false, false, true, true])
        #expect(try await settlements(store).map(\.state) == [.confirmed])
    }

    @Test(
        "What was refused and discarded counts as it was written, since its money is in the drawer",
        arguments: StoreKind.all, [false, true])
    func discarded(_ kind: StoreKind, isEdited: Bool) async throws {
        let store = try TemporaryStore(kind)
        var (drawer, counted) = (Drawer(), Drawer())
        // The hub refuses a sale with a currency that is none.
        func wrong(_ sale: Mutation) -> JSONValue {
            var payload = sale.payload.object ?? [:]
            payload["currency"] = "none"
            return .object(payload)
        }
        let sold = try counted.sell(300)
        var bad = drawer.write("order.completed", wrong(sold), entityId: sold.entityId)
        if isEdited {
            bad = drawer.write("order.completed", wrong(sold), entityId: sold.entityId, supersedes: bad.id)
        }
        try counted.sell(450)
        try drawer.sell(450)
        try counted.void(sold)
        let void = try drawer.void(sold)
        _ = drawer.close { $0.sums = counted.tally.sums }
        _ = try await store.take(drawer.till.push(drawer.entries))
        #expect(try await settlements(store).map(\.state) == [.disputed])
        for id in [bad.id, void.id] {
            let discard = drawer.till.minted("mutation.discarded", ["discards": .string(id), "reason": "x"])
            let outcomes = try await store.outcomes(drawer.till.push([discard]))
            #expect(outcomes == ["applied"] || id == void.id, "\(outcomes)")
        }
        let settlement = try #require(try await settlements(store).first)
        #expect(settlement.state == .confirmed, "\(settlement)")
        let sums = try #require(try await feed(store, of: "T1").first?.sums)
        #expect(sums == counted.tally.sums && sums.sales.total == 750 && sums.voids.total == 300)
        // The paper has them, no figure of sales does: the feed says so, once.
        let stated = try await discarded(store)
        #expect(stated.map(\.statedType) == ["order"])
        #expect(stated.map { $0.stated?.total } == [300])
        #expect(stated.map { $0.stated?.payments.map(\.amount) } == [[300]])
        #expect(stated.map(\.subject) == [bad.id])
        let again = drawer.till.minted(
            "mutation.discarded", ["discards": .string(bad.id), "reason": "once more"])
        _ = try await store.take(drawer.till.push([again]))
        _ = try await settlements(store)
        #expect(try await discarded(store).count == 1)
    }

    /// What the journal feed has of discarded entries, in its order.
    private func discarded(_ store: TemporaryStore) async throws -> [FlagDocument] {
        let end = try await store.ledger.journalEnd()
        guard
            case .page(let documents, _, _) = try await store.ledger.journal(
                after: JournalCursor(life: end.life, number: 0), limit: 1_000, JournalFilter(kinds: [.flag]))
        else { return [] }
        return documents.map { FlagDocument(shown: JournalDocument.shown($0).content) }
            .filter { $0.flag == FlagDocument.discarded }
    }

    @Test("A sale with an amount that no shift adds is named by both sides", arguments: StoreKind.all)
    func uncounted(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var drawer = Drawer()
        try drawer.sell(300)
        let scanned = try drawer.sell(690_123_456_789_200)
        _ = drawer.close()
        _ = try await store.take(drawer.till.push(drawer.entries))
        #expect(try await settlements(store).map(\.state) == [.confirmed])
        let sums = try #require(try await feed(store, of: "T1").first?.sums)
        #expect(sums.sales.total == 300 && sums.uncounted.ids == [scanned.id])
    }

    @Test("A hub that ended between statement and note compares again, to the same", arguments: StoreKind.all)
    func repeated(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var drawer = Drawer()
        try drawer.sell(300)
        _ = drawer.close()
        _ = try await store.take(drawer.till.push(drawer.entries))
        let comparing = ShiftComparing(store.ledger)
        let shift = try #require(try await comparing.ready().first)
        let parts = try #require(try await comparing.parts(of: shift))
        var statements = try await comparing.compared(shift, in: parts, at: now).map(\.statement)
        (statements[0].keyId, statements[0].signature) = ("k", "c2ln")
        _ = try await store.ledger.importEntities(
            statements.map(PublishedStatement.init), withdrawing: [], at: now)
        #expect(try await settlements(store).map(\.state) == [.confirmed])
        #expect(try await feed(store, of: "T1").count == 1)
    }
}
