import HubCore
import HubProtocol
import HubStore
import Testing

@Suite("Ledger")
struct LedgerTests {
    private func applicant(_ id: String, code: String) -> EnrolmentApplicant {
        EnrolmentApplicant(
            terminalId: id, codeDigest: code, name: "till", publicKey: "key", tokenExpiresAt: 500)
    }

    private func product(_ sku: String, barcode: String, price: Int64 = 100, currency: String = "CNY")
        -> ProductRecord
    {
        ProductRecord(
            sku: sku, barcode: barcode, name: sku, department: "", priceMinor: price, currency: currency,
            taxBasisPoints: 0, unit: .each, stockMilli: nil)
    }

    @Test(
        "A store's settings are its own, change one by one, and lie in its feed alone",
        arguments: StoreKind.all)
    func storeSettings(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        #expect(try await ledger.storeSettings(of: "S1") == StoreSettings())
        _ = try await ledger.changeStoreSettings(
            ["network.debounceSeconds": 5, "store.name": "Tea House"], of: "S1", at: 1)
        let after = try await ledger.changeStoreSettings(["store.name": .null], of: "S1", at: 2)
        #expect(after.values == ["network.debounceSeconds": 5])
        #expect(try await ledger.storeSettings(of: "S1") == after)
        #expect(try await ledger.storeSettings(of: "S2") == StoreSettings())
        let changes = try #require(try await ledger.changes(after: nil, limit: 10, storeId: "S1")).changes
        #expect(changes.map(\.entity) == ["storeConfig"])
        #expect(changes.first?.version == 2)
        #expect(changes.first?.value == ["network": ["debounceSeconds": 5]])
        #expect(try await ledger.changes(after: nil, limit: 10, storeId: "S2")?.changes == [])
    }

    @Test(
        "A code works once and not after its end; numbers count up within a store", arguments: StoreKind.all)
    func enrolment(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        for code in ["a", "b"] {
            try await ledger.keepEnrolmentCodes([code], storeId: "S1", expiresAt: 100)
        }
        #expect(try await ledger.enrol(applicant("T1", code: "a"), at: 50)?.number == 1)
        #expect(try await ledger.enrol(applicant("T2", code: "a"), at: 50) == nil)
        #expect(try await ledger.enrol(applicant("T2", code: "b"), at: 100) == nil)
        #expect(try await ledger.enrol(applicant("T2", code: "b"), at: 99)?.number == 2)
        #expect(try await ledger.enrol(applicant("T3", code: "unknown"), at: 50) == nil)
        #expect(try await ledger.terminals().map(\.id) == ["T1", "T2"])
    }

    @Test("A revocation is kept with its first time", arguments: StoreKind.all)
    func revocation(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        try await ledger.keepEnrolmentCodes(["a"], storeId: "S1", expiresAt: 100)
        _ = try await ledger.enrol(applicant("T1", code: "a"), at: 50)
        #expect(try await ledger.revoke("T1", at: 60)?.revokedAt == 60)
        #expect(try await ledger.revoke("T1", at: 70)?.revokedAt == 60)
        #expect(try await ledger.revoke("T9", at: 70) == nil)
    }

    private func returned(_ id: String, number: Int64) -> TerminalRecord {
        TerminalRecord(
            id: id, storeId: "S1", number: number, name: "till", publicKey: "key", enrolledAt: 70,
            revokedAt: nil, tokenExpiresAt: 500, unconfirmedSince: 70, renewalDate: 70)
    }

    @Test(
        "A terminal that comes back keeps its number unless it is another's, and no later number repeats one",
        arguments: StoreKind.all)
    func readmission(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        for code in ["a", "b", "c"] {
            try await ledger.keepEnrolmentCodes([code], storeId: "S1", expiresAt: 100)
        }
        #expect(try await ledger.enrol(applicant("T1", code: "a"), at: 50)?.number == 1)
        #expect(try await ledger.readmit(returned("T7", number: 7)).number == 7)
        #expect(try await ledger.terminal("T7")?.state == .unconfirmed)
        #expect(try await ledger.enrol(applicant("T8", code: "b"), at: 50)?.number == 8)
        let second = try await ledger.readmit(returned("T9", number: 1))
        #expect(second.number == 9)
        #expect(try await ledger.readmit(returned("T9", number: 1)) == second)
        #expect(try await ledger.enrol(applicant("T10", code: "c"), at: 50)?.number == 10)
        #expect(try await ledger.confirm("T7")?.state == .confirmed)
        #expect(try await ledger.terminals().first { $0.id == "T7" }?.unconfirmedSince == nil)
        #expect(try await ledger.confirm("unknown") == nil)
        #expect(try await ledger.revoke("T9", at: 80)?.state == .revoked)
    }

    @Test("Each date renews once, and only a later one renews again", arguments: StoreKind.all)
    func renewals(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        try await ledger.keepEnrolmentCodes(["a"], storeId: "S1", expiresAt: 100)
        _ = try await ledger.enrol(applicant("T1", code: "a"), at: 50)
        #expect(try await ledger.renew("T1", tokenExpiresAt: 900, date: 60))
        #expect(try await !ledger.renew("T1", tokenExpiresAt: 901, date: 60))
        #expect(try await !ledger.renew("T1", tokenExpiresAt: 902, date: 59))
        #expect(try await ledger.renew("T1", tokenExpiresAt: 903, date: 61))
        let kept = try #require(try await ledger.terminal("T1"))
        #expect(kept.tokenExpiresAt == 903)
        #expect(kept.renewalDate == 61)
    }

    @Test(
        "Codes are listed without themselves; one that was taken back cannot be used",
        arguments: StoreKind.all)
    func codes(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        let digests = ["a", "b", "c"].map { String(repeating: $0, count: 64) }
        for (place, digest) in digests.enumerated() {
            try await ledger.keepEnrolmentCodes([digest], storeId: "S1", expiresAt: 100 + Int64(place))
        }
        let id = String(repeating: "b", count: 12)
        #expect(try await ledger.revokeEnrolmentCode(id, at: 60)?.revokedAt == 60)
        #expect(try await ledger.revokeEnrolmentCode(id, at: 61) == nil)
        #expect(try await ledger.enrol(applicant("T1", code: digests[1]), at: 61) == nil)
        #expect(try await ledger.enrol(applicant("T1", code: digests[0]), at: 61) != nil)
        #expect(try await ledger.revokeEnrolmentCode(String(repeating: "a", count: 12), at: 62) == nil)
        let codes = try await ledger.enrolmentCodes(at: 62)
        #expect(codes.map(\.id) == ["a", "b", "c"].map { String(repeating: $0, count: 12) })
        #expect(codes.map(\.terminalId) == ["T1", nil, nil])
        let end = 100 + EnrolmentCodeRecord.shownMilliseconds
        #expect(try await ledger.enrolmentCodes(at: end - 1).count == 3)
        #expect(try await ledger.enrolmentCodes(at: end).count == 2)
    }

    @Test("What is held of the keys changes only where it is still what was read", arguments: StoreKind.all)
    func keys(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        let first = try await ledger.keyRecord()
        #expect(first.publicKeys == nil)
        let second = KeyRecord(publicKeys: "p", privateKeys: "q")
        #expect(try await ledger.keep(second, insteadOf: first))
        #expect(try await !ledger.keep(KeyRecord(publicKeys: "r"), insteadOf: first))
        #expect(try await ledger.keyRecord() == second)
        #expect(try await ledger.keep(KeyRecord(publicKeys: "r"), insteadOf: second))
        #expect(try await ledger.keyRecord() == KeyRecord(publicKeys: "r"))
    }

    @Test("An import is all or nothing, changes what is known and leaves the rest", arguments: StoreKind.all)
    func imports(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        #expect(
            try await ledger.importProducts([product("a", barcode: "1"), product("b", barcode: "2")], at: 1)
                == .imported(new: 2, changed: 0, unchanged: 0))
        #expect(
            try await ledger.importProducts(
                [product("b", barcode: "2", price: 5), product("c", barcode: "3")], at: 2)
                == .imported(new: 1, changed: 1, unchanged: 0))
        #expect(try await ledger.product(barcode: "1")?.sku == "a")
        let swapped = [product("a", barcode: "2"), product("b", barcode: "1", price: 5)]
        #expect(
            try await ledger.importProducts(swapped, at: 2) == .imported(new: 0, changed: 2, unchanged: 0))
        #expect(try await ledger.product(barcode: "1")?.sku == "b")
        let stolen = [product("d", barcode: "4"), product("e", barcode: "3")]
        guard case .refused = try await ledger.importProducts(stolen, at: 3) else {
            Issue.record("a barcode of another product was taken")
            return
        }
        #expect(try await ledger.product(barcode: "4") == nil)
        guard
            case .refused = try await ledger.importProducts(
                [product("f", barcode: "6", currency: "USD")], at: 4)
        else {
            Issue.record("a second currency was taken")
            return
        }
    }

    @Test(
        "The feed is read in pages, shows a change again at its end, and serves no foreign cursor",
        arguments: StoreKind.all)
    func feed(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        let products = (1...5).map { product("p\($0)", barcode: "\($0)") }
        _ = try await ledger.importProducts(products, at: 1)
        let first = try #require(try await ledger.changes(after: nil, limit: 3, storeId: "S1"))
        #expect(first.changes.map(\.entityId) == ["p1", "p2", "p3"])
        #expect(first.hasMore)
        let second = try #require(try await ledger.changes(after: first.cursor, limit: 3, storeId: "S1"))
        #expect(second.changes.map(\.entityId) == ["p4", "p5"])
        #expect(!second.hasMore)
        _ = try await ledger.importProducts([product("p2", barcode: "2", price: 7)], at: 2)
        let third = try #require(try await ledger.changes(after: second.cursor, limit: 3, storeId: "S1"))
        #expect(third.changes.map(\.entityId) == ["p2"])
        #expect(third.changes.first?.version == 2)
        let beyond = ChangeCursor(feed: third.cursor.feed, position: third.cursor.position + 1)
        #expect(try await ledger.changes(after: beyond, limit: 3, storeId: "S1") == nil)
        let foreign = ChangeCursor(feed: "another", position: 1)
        #expect(try await ledger.changes(after: foreign, limit: 3, storeId: "S1") == nil)
    }

    @Test("Notes travel within their store, and a deleted one leaves a tombstone", arguments: StoreKind.all)
    func notes(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let note = till.minted("note.upserted", ["text": "hello"], entityId: "n1")
        let gone = till.minted("note.deleted", [:], entityId: "n1")
        _ = try await store.take(till.push([note]))
        var page = try #require(try await store.ledger.changes(after: nil, limit: 9, storeId: "S1"))
        #expect(page.changes.first?.value == ["text": "hello"])
        #expect(page.changes.first?.origin?["mutationId"] == .string(note.id))
        #expect(try await store.ledger.changes(after: nil, limit: 9, storeId: "S2")?.changes == [])
        _ = try await store.take(till.push([gone]))
        page = try #require(try await store.ledger.changes(after: nil, limit: 9, storeId: "S1"))
        #expect(page.changes.map(\.isDeleted) == [true])
        #expect(page.changes.first?.version == 2)
    }

    @Test(
        "A refused sale's currency that is none counts as none, whatever its text", arguments: StoreKind.all)
    func refusedCurrency(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        try await store.enrol("T1")
        var till = Till()
        let texts = [String(repeating: "x", count: 90_000), "=A1", "CN\u{202E}"]
        let entries = texts.map { text in
            till.minted(
                "order.completed",
                ["orderId": "o", "orderNumber": "n", "currency": .string(text), "total": 5, "lines": []],
                entityId: "o")
        }
        _ = try await store.take(till.push(entries))
        let audit = try #require(try await store.ledger.audit(terminal: "T1").first)
        #expect(audit.refused == SaleSum(orders: 3, amount: 15, currency: "XXX"))
    }

    @Test("The audit counts, sums, names what is missing and finds the broken link", arguments: StoreKind.all)
    func audit(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        try await ledger.keepEnrolmentCodes(["a"], storeId: "S1", expiresAt: 100)
        _ = try await ledger.enrol(applicant("T1", code: "a"), at: 50)
        var till = Till()
        let sales = (0..<4).map { _ in till.sale() }
        _ = try await store.take(till.push([sales[0], sales[1], sales[3], till.sale(total: -1)]))
        var audit = try #require(try await ledger.audit(terminal: "T1").first)
        #expect(
            audit
                == TerminalAudit(
                    terminalId: "T1", acknowledgedThrough: 2, received: 4, rejected: 1, missing: [3],
                    brokenAt: nil, orders: 3,
                    totals: [CurrencySum(currency: "CNY", orders: 3, amount: 3750)],
                    refused: SaleSum(orders: 1, amount: -1, currency: "CNY")))
        var stranger = Till(from: 3)
        _ = try await store.take(till.push([stranger.sale()]))
        audit = try #require(try await ledger.audit(terminal: nil).first)
        #expect(audit.brokenAt == 3)
        #expect(audit.missing == [])
        #expect(try await ledger.audit(terminal: "T9") == [])
    }
}
