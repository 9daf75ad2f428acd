import HubCore
import HubProtocol
import HubStore
import Testing

/// Each row of the authorization table that is about mutations, for a terminal in each role.
@Suite("What a terminal may do to others' data")
struct TerminalRightsTests {
    /// Three terminals: the owner of what is tried, another one of its store, and one of another store.
    private struct Tills {
        let store: TemporaryStore
        var own = Till("T1")
        var sameStore = Till("T2")
        var otherStore = Till("T3", store: "S2")

        init(_ kind: StoreKind) async throws {
            store = try TemporaryStore(kind)
            try await store.enrol("T1")
            try await store.enrol("T2")
            try await store.enrol("T3", in: "S2")
        }

        /// What each role gets for a mutation that `mint` makes: own, same store, other store.
        mutating func outcomes(_ mint: (inout Till) -> Mutation) async throws -> [String] {
            var outcomes: [String] = []
            for path in [\Tills.own, \.sameStore, \.otherStore] {
                let mutation = mint(&self[keyPath: path])
                outcomes += try await store.outcomes(self[keyPath: path].push([mutation]))
            }
            return outcomes
        }
    }

    private func stock(_ store: TemporaryStore) async throws {
        let product = ProductRecord(
            sku: "tea", barcode: "1", name: "Tea", department: "", priceMinor: 1250, currency: "CNY",
            taxBasisPoints: 0, unit: .each, stockMilli: 2_000)
        _ = try await store.ledger.importProducts([product], at: 1)
    }

    private func flags(_ response: MutationBatchResponse?) -> [JSONValue?] {
        (response?.results ?? []).map { $0.json["flags"] }
    }

    @Test("Terminals of the order's store refund it, others do not", arguments: StoreKind.all)
    func refunds(_ kind: StoreKind) async throws {
        var tills = try await Tills(kind)
        let sale = tills.own.sale()
        _ = try await tills.store.take(tills.own.push([sale]))
        let orderId = sale.payload["orderId"] ?? .null
        #expect(
            try await tills.outcomes { $0.minted("refund.completed", ["orderId": orderId, "total": 1]) }
                == ["applied", "applied", "rejected order_foreign_store"])
    }

    @Test(
        "A terminal of another store does not void an order, and its own store still does",
        arguments: StoreKind.all)
    func voids(_ kind: StoreKind) async throws {
        var tills = try await Tills(kind)
        let sales = [tills.own.sale(), tills.own.sale()]
        _ = try await tills.store.take(tills.own.push(sales))
        let ids = sales.map { $0.payload["orderId"] ?? .null }
        let foreign = ids.map { tills.otherStore.minted("order.voided", ["orderId": $0]) }
        #expect(
            try await tills.store.outcomes(tills.otherStore.push(foreign))
                == ["rejected order_foreign_store", "rejected order_foreign_store"])
        let own = tills.own.minted("order.voided", ["orderId": ids[0]])
        let same = tills.sameStore.minted("order.voided", ["orderId": ids[1]])
        #expect(try await tills.store.outcomes(tills.own.push([own])) == ["applied"])
        #expect(try await tills.store.outcomes(tills.sameStore.push([same])) == ["applied"])
    }

    @Test(
        "A void or refund of an unknown order moves no stock, and one of a known order no more than was sold",
        arguments: StoreKind.all)
    func stockOfReversals(_ kind: StoreKind) async throws {
        var tills = try await Tills(kind)
        try await stock(tills.store)
        let lines: JSONValue = [["sku": "tea", "quantityMilli": 5_000]]
        for type in ["order.voided", "refund.completed"] {
            let invented = tills.otherStore.minted(type, ["orderId": "no-such-order", "lines": lines])
            let response = try await tills.store.take(tills.otherStore.push([invented]))
            #expect(flags(response) == [["order_unknown"]])
        }
        let sale = tills.own.sale()
        let void = tills.own.minted(
            "order.voided", ["orderId": sale.payload["orderId"] ?? .null, "lines": lines])
        #expect(try await tills.store.outcomes(tills.own.push([sale, void])) == ["applied", "applied"])
        // Two pieces are there, as if nothing had happened: a third one is too many.
        let rest = [tills.own.sale(), tills.own.sale(), tills.own.sale()]
        let response = try await tills.store.take(tills.own.push(rest))
        #expect(flags(response) == [[], [], ["stock_negative"]])
    }

    @Test("A mutation is edited and discarded by its own terminal alone", arguments: StoreKind.all)
    func responses(_ kind: StoreKind) async throws {
        var tills = try await Tills(kind)
        let refused = tills.own.sale(total: -1)
        #expect(try await tills.store.outcomes(tills.own.push([refused])) == ["rejected invalid_mutation"])
        let foreign = [
            tills.sameStore.minted("mutation.discarded", ["discards": .string(refused.id)]),
            tills.sameStore.minted("order.completed", refused.payload, supersedes: refused.id),
        ]
        #expect(
            try await tills.store.outcomes(tills.sameStore.push(foreign))
                == ["rejected mutation_foreign", "rejected mutation_foreign"])
        let edit = tills.own.minted("order.completed", tills.own.sale().payload, supersedes: refused.id)
        let response = try await tills.store.take(tills.own.push([edit]))
        #expect(response?.results.map(\.outcome) == [.applied])
    }

    @Test(
        "What another terminal says of a mutation before it arrives does not count", arguments: StoreKind.all)
    func respondedAhead(_ kind: StoreKind) async throws {
        var tills = try await Tills(kind)
        let (first, second) = (tills.own.sale(), tills.own.sale())
        let discard = tills.otherStore.minted("mutation.discarded", ["discards": .string(first.id)])
        let edit = tills.otherStore.minted("order.completed", second.payload, supersedes: second.id)
        _ = try await tills.store.take(tills.otherStore.push([discard, edit]))
        let outcomes = try await tills.store.outcomes(tills.own.push([first]))
        #expect(outcomes == ["applied"])
    }

    @Test(
        "A mutation depends on those of its own terminal; another terminal's counts as missing",
        arguments: StoreKind.all)
    func dependencies(_ kind: StoreKind) async throws {
        var tills = try await Tills(kind)
        let shift = tills.own.minted()
        _ = try await tills.store.take(tills.own.push([shift]))
        #expect(
            try await tills.outcomes { $0.minted("cash.moved", [:], dependsOn: [shift.id]) }
                == ["applied", "deferred dependency_missing", "deferred dependency_missing"])
    }

    @Test(
        "A device that enrolled again in its store goes on with what it recorded before",
        arguments: StoreKind.all)
    func enrolledAgain(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        try await store.enrol("T1", key: "key")
        try await store.enrol("T2", key: "key")
        var till = Till("T1")
        let refused = till.sale(total: -1)
        let sale = till.sale()
        _ = try await store.take(till.push([refused, sale]))
        var renewed = Till("T2", from: 3)
        let refund = renewed.minted(
            "refund.completed", ["orderId": sale.payload["orderId"] ?? .null, "total": 1],
            dependsOn: [sale.id])
        let discard = renewed.minted("mutation.discarded", ["discards": .string(refused.id)])
        #expect(
            try await store.outcomes(renewed.push([refund, discard], lowSequence: 3))
                == ["applied", "applied"])
        // The same key in another store, after it was revoked in this one, is another device.
        for id in ["T1", "T2"] { _ = try await store.ledger.revoke(id, at: 60) }
        try await store.enrol("T3", in: "S2", key: "key")
        var elsewhere = Till("T3", store: "S2")
        let foreign = elsewhere.minted("mutation.discarded", ["discards": .string(sale.id)])
        #expect(try await store.outcomes(elsewhere.push([foreign])) == ["rejected mutation_foreign"])
    }

    @Test(
        "Members, points and notes are for every terminal, a note within its store", arguments: StoreKind.all)
    func shared(_ kind: StoreKind) async throws {
        var tills = try await Tills(kind)
        for (type, payload) in [
            ("member.created", ["name": "Li"]), ("member.updated", ["name": "Wu"]),
            ("points.adjusted", ["delta": 1]), ("coupon.redeemed", ["code": "A"]),
            ("note.upserted", ["text": "x"]),
        ] as [(String, JSONValue)] {
            #expect(
                try await tills.outcomes { $0.minted(type, payload, entityId: "E") }
                    == ["applied", "applied", "applied"], "\(type)")
        }
        let gone = tills.otherStore.minted("note.deleted", [:], entityId: "E")
        _ = try await tills.store.take(tills.otherStore.push([gone]))
        let page = try await tills.store.ledger.changes(after: nil, limit: 9, storeId: "S1")
        #expect(page?.changes.first { $0.entity == "note" }?.isDeleted == false)
    }

    @Test("Who changed a member is kept and shown", arguments: StoreKind.all)
    func changedBy(_ kind: StoreKind) async throws {
        var tills = try await Tills(kind)
        let created = tills.own.minted("member.created", ["name": "Li"], entityId: "M")
        let changed = tills.otherStore.minted("member.updated", ["name": "Wu"], entityId: "M")
        _ = try await tills.store.take(tills.own.push([created]))
        _ = try await tills.store.take(tills.otherStore.push([changed]))
        let page = try await tills.store.ledger.changes(after: nil, limit: 9, storeId: "S1")
        #expect(
            page?.changes.first?.origin
                == ["terminalId": "T3", "storeId": "S2", "mutationId": .string(changed.id)])
    }

    @Test("A foreign order number is accepted and flagged, and is used for nobody", arguments: StoreKind.all)
    func foreignNumber(_ kind: StoreKind) async throws {
        var tills = try await Tills(kind)
        let number = "S1-1-19700101-7"
        for till in [\Tills.sameStore, \.otherStore] {
            let sale = tills[keyPath: till].sale(number: number)
            let response = try await tills.store.take(tills[keyPath: till].push([sale]))
            #expect(flags(response) == [["order_number_foreign"]])
        }
        let own = tills.own.sale(number: number)
        #expect(flags(try await tills.store.take(tills.own.push([own]))) == [[]])
        #expect(try await tills.store.ledger.alarms(terminal: nil, limit: 9) == [])
        let again = tills.own.sale(number: number)
        #expect(flags(try await tills.store.take(tills.own.push([again]))) == [["order_number_repeated"]])
    }

    @Test(
        "A fork names the last order number of the terminal's own, never a foreign or impossible one",
        arguments: StoreKind.all)
    func forkedHead(_ kind: StoreKind) async throws {
        var tills = try await Tills(kind)
        let odd = [
            "S1-1-99991231-9223372036854775807", "S1-1-19700101-1000000000", "S1-1-19700104-1",
            "S1-2-19700101-9",
            "S2-1-19700101-9", "S1-1-19700101-0",
        ].map { tills.own.sale(number: $0) }
        let sale = tills.own.sale(number: "S1-1-19700103-999999999")
        _ = try await tills.store.take(tills.own.push([sale] + odd))
        var clone = Till("T1")
        let fork = clone.minted()
        guard
            case .refused(.forked(_, _, _, let number)) = try await tills.store.ledger.ingest(
                clone.push([fork]))
        else {
            Issue.record("the fork was not refused")
            return
        }
        #expect(number == "S1-1-19700103-999999999")
    }

    @Test(
        "An epoch is the current one or the next; one further is refused and opens nothing",
        arguments: StoreKind.all)
    func epochs(_ kind: StoreKind) async throws {
        var tills = try await Tills(kind)
        _ = try await tills.store.take(tills.own.push([tills.own.minted()], epoch: 1))
        let next = tills.own.minted()
        #expect(
            try await tills.store.ledger.ingest(tills.own.push([next], epoch: 3))
                == .refused(.epochInvalid(next: 2)))
        #expect(try await tills.store.outcomes(tills.own.push([next], epoch: 2)) == ["applied"])
        #expect(
            try await tills.store.ledger.alarms(terminal: "T1", limit: 9).map(\.first.kind) == [
                "epoch_invalid"
            ])
    }
}
