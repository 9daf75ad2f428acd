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
            try await ledger.keepEnrolmentCode(digest: code, storeId: "S1", expiresAt: 100)
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
        try await ledger.keepEnrolmentCode(digest: "a", storeId: "S1", expiresAt: 100)
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
            try await ledger.keepEnrolmentCode(digest: code, storeId: "S1", expiresAt: 100)
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
        try await ledger.keepEnrolmentCode(digest: "a", storeId: "S1", expiresAt: 100)
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
            try await ledger.keepEnrolmentCode(digest: digest, storeId: "S1", expiresAt: 100 + Int64(place))
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

    @Test("The audit counts, sums, names what is missing and finds the broken link", arguments: StoreKind.all)
    func audit(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        try await ledger.keepEnrolmentCode(digest: "a", storeId: "S1", expiresAt: 100)
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

@Suite("Payments")
struct PaymentLedgerTests {
    private func wanted(_ key: String, order: String = "o1", amount: Int64 = 100) -> PaymentAuthorization {
        PaymentAuthorization(
            key: key, orderId: order, state: .authorized, amount: amount, currency: "CNY", approvalCode: "1",
            declineReason: nil)
    }

    @Test("A key decides once; for anything else it is refused", arguments: StoreKind.all)
    func once(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        #expect(try await ledger.decide(wanted("k"), by: "T1", at: 1) == .decided(wanted("k")))
        #expect(try await ledger.decide(wanted("k"), by: "T1", at: 2) == .known(wanted("k")))
        #expect(try await ledger.decide(wanted("k", amount: 5), by: "T1", at: 2) == .keyReused)
        #expect(try await ledger.decide(wanted("k"), by: "T2", at: 2) == .keyReused)
        #expect(try await ledger.payment(key: "k", of: "T2") == nil)
    }

    @Test(
        "What is decided late settles an unknown payment once, and nothing that was voided meanwhile",
        arguments: StoreKind.all)
    func settled(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        for key in ["a", "b", "c"] {
            let unknown = PaymentAuthorization(
                key: key, orderId: "o", state: .unknown, amount: 100, currency: "CNY", approvalCode: nil,
                declineReason: nil)
            _ = try await ledger.decide(unknown, by: "T1", at: 1)
        }
        #expect(try await ledger.undecidedPayments(limit: 9).map(\.payment.key) == ["c", "b", "a"])
        _ = try await ledger.void(key: "c", of: "T1", at: 2)
        let granted = PaymentDecision.authorized(approvalCode: "A1")
        #expect(try await ledger.settle(key: "a", by: granted, at: 3)?.state == .authorized)
        #expect(try await ledger.settle(key: "a", by: .declined(reason: "x"), at: 4)?.state == .authorized)
        #expect(try await ledger.settle(key: "b", by: .declined(reason: "x"), at: 3)?.state == .declined)
        #expect(try await ledger.settle(key: "c", by: granted, at: 3)?.state == .voided)
        #expect(try await ledger.settle(key: "d", by: granted, at: 3) == nil)
        #expect(try await ledger.undecidedPayments(limit: 9) == [])
        let calls = try await ledger.paymentCalls(limit: 9)
        // What was granted although it was voided is voided once more, whatever became of the first void.
        #expect(calls.map(\.callKey) == ["c:void", "c:void:late"])
        for call in calls { try await ledger.finish(call, isRefused: false, at: 5) }
        #expect(try await ledger.paymentCalls(limit: 9) == [])
    }

    @Test(
        "A call that is refused for good leaves a debt for a capture, an alarm for a void",
        arguments: StoreKind.all)
    func refused(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        var till = Till()
        for key in ["k", "l"] { _ = try await ledger.decide(wanted(key, amount: 1250), by: "T1", at: 1) }
        let sale = till.paid(
            till.sale(), by: [["method": "card", "amount": 1250, "authorizationKey": "k"]])
        let refund = till.minted(
            "refund.completed",
            [
                "orderId": sale.payload["orderId"] ?? .null, "total": 200, "currency": "CNY",
                "payments": [["method": "card", "amount": 200, "authorizationKey": "k"]],
            ])
        _ = try await store.take(till.push([sale, refund]))
        _ = try await ledger.void(key: "l", of: "T1", at: 2)
        for call in try await ledger.paymentCalls(limit: 9) {
            try await ledger.finish(call, isRefused: true, at: 9)
            // A second process that sent the same call leaves nothing more.
            try await ledger.finish(call, isRefused: true, at: 9)
        }
        let debts = try await ledger.paymentDebts(of: nil)
        #expect(debts.map(\.payment.key) == ["k"] && debts.map(\.payment.amount) == [1050])
        #expect(debts.first?.payment.declineReason == "capture_refused")
        let alarms = try await ledger.alarms(terminal: "T1", limit: 9)
        #expect(
            Set(alarms.map(\.first.kind)) == ["payment_forward_declined", "payment_void_refused"])
        #expect(alarms.allSatisfy { $0.count == 1 })
    }

    @Test(
        "The money of a sale that stands is not given up, and that of a refused one is",
        arguments: StoreKind.all)
    func acceptedSale(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        var till = Till()
        for key in ["k", "l", "m"] { _ = try await ledger.decide(wanted(key, amount: 1250), by: "T1", at: 1) }
        let sale = till.paid(
            till.sale(), by: [["method": "card", "amount": 1250, "authorizationKey": "k"]])
        let orderId = sale.payload["orderId"] ?? .null
        let refund = till.minted(
            "refund.completed",
            [
                "orderId": orderId, "total": 1250, "currency": "CNY",
                "payments": [["method": "cash", "amount": 1250]],
            ])
        let void = till.minted("order.voided", ["orderId": orderId], dependsOn: [sale.id])
        let paymentVoid = till.minted(
            "payment.voided", ["key": "k", "orderId": orderId], entityId: "k", dependsOn: [sale.id])
        // Of the same order, but no payment of the sale: a card that was given up before.
        let other = till.minted("payment.voided", ["key": "l", "orderId": orderId], entityId: "l")
        let outcomes = try await store.outcomes(till.push([sale, refund, void, paymentVoid, other]))
        #expect(outcomes == ["applied", "applied", "conflict conflict", "conflict conflict", "applied"])
        #expect(try await ledger.payment(key: "k", of: "T1")?.state == .captured)
        #expect(try await ledger.payment(key: "l", of: "T1")?.state == .voided)
        // A sale that cannot be one, with what depends on it.
        let bad = till.minted("order.completed", ["orderId": "x"])
        let badVoid = till.minted(
            "payment.voided", ["key": "m", "orderId": "x"], entityId: "m", dependsOn: [bad.id])
        #expect(
            try await store.outcomes(till.push([bad, badVoid])) == ["rejected invalid_mutation", "applied"])
        #expect(try await ledger.payment(key: "m", of: "T1")?.state == .voided)
    }

    @Test(
        "A hub that was made of a backup captures what was authorised since, and flags the sale",
        arguments: StoreKind.all)
    func unmatched(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        var (till, other) = (Till(), Till("T2"))
        _ = try await ledger.decide(wanted("known", amount: 1250), by: "T1", at: 1)
        _ = try await ledger.void(key: "gone", of: "T1", at: 1)
        func sale(_ key: String, amount: Int64 = 1250, by till: inout Till) -> Mutation {
            till.paid(
                till.sale(),
                by: [
                    [
                        "method": "card", "amount": .integer(amount), "authorizationKey": .string(key),
                        "approvalCode": "A1",
                    ]
                ])
        }
        let sales = ["known", "new", "new", "gone", "two words"].map { sale($0, by: &till) }
        let flags = try await store.take(till.push(sales))?.results.map { $0.json["flags"] }
        #expect(flags == [[], ["payment_unmatched"], [], [], []])
        let payment = try #require(try await ledger.payment(key: "new", of: "T1"))
        #expect(payment.state == .captured && payment.amount == 1250 && payment.approvalCode == "A1")
        #expect(payment.orderId == sales[1].payload["orderId"]?.string)
        #expect(try await ledger.payment(key: "gone", of: "T1")?.state == .voided)
        #expect(try await ledger.payment(key: "two words", of: "T1") == nil)
        // Another terminal's key captures nothing of it and is no new payment.
        let foreign = sale("new", by: &other)
        let raised = try await store.take(other.push([foreign]))?.results.first?.json["flags"]?.array
        #expect(raised?.contains("payment_unmatched") == false)
        let calls = try await ledger.paymentCalls(limit: 9)
        #expect(calls.map(\.callKey).sorted() == ["known:capture", "new:capture"])
        // The service has no such authorisation: what the shop never gets is a debt.
        for call in calls where call.key == "new" { try await ledger.finish(call, isRefused: true, at: 2) }
        #expect(try await ledger.paymentDebts(of: nil).map(\.payment.key) == ["new"])
        // A sale whose card was voided before the sale arrived stays without its money.
        let void = other.minted("payment.voided", ["key": "ahead"], entityId: "ahead")
        #expect(try await store.outcomes(other.push([void, sale("ahead", by: &other)])).count == 2)
        #expect(try await ledger.payment(key: "ahead", of: "T2")?.state == .voided)
    }

    @Test(
        "Tokens go in the order of their arrival, the first of every terminal before the second of any",
        arguments: StoreKind.all)
    func arrival(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        func sale(_ key: String, storedAt: String, by till: inout Till) -> Mutation {
            till.paid(
                till.sale(),
                by: [
                    [
                        "method": "card", "amount": 1250, "authorizationKey": .string(key),
                        "state": "storedOffline", "sealed": ["keyId": "s", "token": "AAAA"],
                        "storedAt": .string(storedAt),
                    ]
                ])
        }
        var (till, other) = (Till(), Till("T2"))
        // The till's clock was set back between the first two, which come in one push.
        let both = [
            sale("z1", storedAt: "2026-11-21T10:00:00.000Z", by: &till),
            sale("a2", storedAt: "2026-11-21T09:00:00.000Z", by: &till),
        ]
        _ = try await store.take(till.push(both, at: 1_000_000))
        let third = sale("a3", storedAt: "2026-11-21T08:00:00.000Z", by: &till)
        _ = try await store.take(till.push([third], at: 1_000_020))
        let first = sale("b1", storedAt: "2026-11-21T12:00:00.000Z", by: &other)
        _ = try await store.take(other.push([first], at: 1_000_030))
        let order = { (limit: Int) in
            try await store.ledger.undecidedPayments(limit: limit).map(\.payment.key)
        }
        #expect(try await order(9) == ["z1", "b1", "a2", "a3"])
        #expect(try await order(2) == ["z1", "b1"])
    }

    @Test(
        "A sale captures its cards, a refund gives back what is left on them, and the service gets each of them once",
        arguments: StoreKind.all)
    func refunds(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        _ = try await ledger.decide(wanted("k", amount: 1250), by: Till().device.terminalId, at: 1)
        var till = Till()
        var sale = till.sale()
        sale = till.paid(sale, by: [["method": "card", "amount": 1250, "authorizationKey": "k"]])
        let refund = { (till: inout Till, id: String, amount: Int64, key: String) in
            till.minted(
                "refund.completed",
                [
                    "refundId": .string(id), "orderId": sale.payload["orderId"] ?? .null,
                    "total": .integer(amount), "currency": "CNY",
                    "payments": [
                        [
                            "method": "card", "amount": .integer(amount), "authorizationKey": .string(key),
                            "state": "refunded",
                        ]
                    ],
                ])
        }
        let first = refund(&till, "r1", 1000, "k")
        let unknown = refund(&till, "r2", 10, "other")
        let second = refund(&till, "r3", 240, "k")
        let response = try await store.take(till.push([sale, first, unknown, second]))
        let flags = response?.results.map { $0.json["flags"] }
        #expect(flags == [[], [], ["refund_not_on_card"], []])
        let calls = try await ledger.paymentCalls(limit: 9)
        #expect(calls.map(\.kind) == [.capture, .refund, .refund])
        #expect(calls.map(\.amount) == [1250, 1000, 240])
        #expect(calls[1].callKey == "k:refund:\(first.entityId)")
        #expect(try await ledger.payment(key: "k", of: till.device.terminalId)?.state == .captured)
    }

    @Test(
        "A stored payment is kept with its token until it is forwarded, and a decline is a debt",
        arguments: StoreKind.all)
    func stored(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        _ = try await ledger.changeStoreSettings(
            [
                "offlineCard.perSale": 1250, "offlineCard.perShift": 9000, "offlineCard.perTerminal": 9000,
            ], of: "S1", at: 1)
        var till = Till()
        var mutations: [Mutation] = []
        for key in ["k1", "k2"] {
            mutations.append(
                till.paid(
                    till.sale(),
                    by: [
                        [
                            "method": "card", "amount": 1250, "authorizationKey": .string(key),
                            "state": "storedOffline", "sealed": ["keyId": "s", "token": "dG9rZW4="],
                            "storedAt": "2026-11-21T00:00:00.000Z",
                        ]
                    ]))
        }
        let response = try await store.take(till.push(mutations))
        #expect(response?.results.allSatisfy { $0.json["flags"] == [] } == true)
        let open = try await ledger.undecidedPayments(limit: 9)
        #expect(open.map(\.payment.key) == ["k1", "k2"])
        #expect(open.map(\.sealed?.token) == ["dG9rZW4=", "dG9rZW4="])
        _ = try await ledger.settle(key: "k1", by: .authorized(approvalCode: "A"), at: 3)
        _ = try await ledger.settle(key: "k2", by: .declined(reason: "stolen"), at: 3)
        #expect(try await ledger.paymentCalls(limit: 9).map(\.callKey) == ["k1:capture"])
        let debts = try await ledger.paymentDebts(of: nil)
        #expect(debts.map(\.payment.key) == ["k2"])
        #expect(debts.map(\.payment.amount) == [1250])
        #expect(try await ledger.paymentDebts(of: "nobody") == [])
    }

    @Test("Capture and void can be repeated, and what is voided is never captured", arguments: StoreKind.all)
    func endings(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        _ = try await ledger.decide(wanted("k"), by: "T1", at: 1)
        #expect(try await ledger.capture(key: "k", of: "T1")?.state == .captured)
        #expect(try await ledger.capture(key: "k", of: "T1")?.state == .captured)
        #expect(try await ledger.void(key: "k", of: "T1", at: 2)?.state == .voided)
        #expect(try await ledger.capture(key: "k", of: "T1")?.state == .voided)
        #expect(try await ledger.void(key: "k", of: "T2", at: 2) == nil)
    }

    @Test(
        "A key voided ahead, by call or by the outbox, voids the authorisation that comes late",
        arguments: StoreKind.all)
    func voidedAhead(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        #expect(try await ledger.void(key: "k", of: "T1", at: 1)?.state == .voided)
        var till = Till()
        _ = try await store.take(till.push([till.minted("payment.voided", ["key": "j"])]))
        for key in ["k", "j"] {
            guard case .decided(let late) = try await ledger.decide(wanted(key), by: "T1", at: 2) else {
                Issue.record("the late authorisation was not decided")
                continue
            }
            #expect(late.state == .voided)
            #expect(late.amount == 100)
        }
    }
}
