import Crypto
import Foundation
import GRDB
import HubProtocol
import TestKit
import Testing

/// The requests of a till beside its pushes, so that each operation of the document has a good response.
extension OpenAPITests {
    /// Another till of the hub looks a sale up by the code of its receipt.
    func lookUp(_ sale: JSONValue, of shop: ShopUnderTest, at front: HubFront) throws {
        let client = LoopbackClient(.tcp(port: front.port))
        let code = try #require(try shop.posHub("enrol-code", "--store-id", "S1")["code"]?.string)
        let enrolment = try SignedEnrolment(code: code, key: Curve25519.Signing.PrivateKey())
        let made = try client.request(
            "POST", Routes.terminals, headers: enrolment.headers, body: enrolment.body)
        let till = TillOverHTTP(try EnrolmentGrant(json: made.json()))
        let body: JSONValue = ["receiptCode": sale["receiptCode"] ?? .null]
        let found = try client.request(
            "POST", Routes.receiptLookup, headers: till.headers, body: body.canonicalText)
        #expect(found.status == 200, "\(found.text)")
    }

    /// Cards, a shift with a debt, a lease, a report and a new token.
    ///
    /// - Parameters:
    ///   - hub: with simulated payments, and a coupon `TEA5` that is lent.
    ///   - till: one that reads the feed.
    ///   - client: what records the exchanges.
    func till(of hub: HubUnderTest, over client: LoopbackClient, reading till: TillOverHTTP) throws {
        func send(
            _ method: String, _ path: String, _ body: JSONValue? = nil, _ headers: [String: String]
        ) throws -> JSONValue {
            let response = try client.request(
                method, path, headers: headers, body: body?.canonicalText ?? "")
            #expect(response.status < 300, "\(method) \(path): \(response.text)")
            return try response.json()
        }
        _ = try send("GET", Routes.ready, nil, [:])
        let counts: JSONValue = [
            "windowStart": "2026-11-21T00:00:00.000Z",
            "services": [["service": "order", "ok": 7, "failed": ["timeout": 1]]],
        ]
        _ = try send("POST", Routes.qosReports, counts, till.headers)
        try article(of: hub) { _ = try send("GET", "/v1/products/\($0)", nil, till.headers) }
        // One of schema 1 is lent no coupons.
        let newer = till.headers.merging([HeaderNames.schema: "2"]) { $1 }
        try lease { try send($0, $1, $2, newer) }
        var signing = try SigningTill(on: hub, store: "S2")
        try card { try send($0, $1, $2, signing.headers.merging($3) { $1 }) }
        let shift = try self.shift(of: signing) { try send("POST", $0, $1, signing.headers) }
        try debt(of: signing.grant, in: shift, at: hub)
        #expect(try signing.renew(on: client).status == 200)
    }

    private func article(of hub: HubUnderTest, _ get: (_ barcode: String) throws -> Void) throws {
        let file = hub.folder.path("articles.csv")
        let article = Article.assortment[0]
        try Article.csv([article]).write(toFile: file, atomically: true, encoding: .utf8)
        _ = try hub.json("import", "products", file)
        try get(article.barcode)
    }

    /// Requests a lease, and gives back unspent what the till has.
    private func lease(
        _ send: (_ method: String, _ path: String, JSONValue?) throws -> JSONValue
    ) throws {
        let request: JSONValue = ["kind": "coupon", "subject": "TEA5", "amount": 1, "epoch": 1]
        let lent = try LentLeases(json: try send("POST", Routes.leases, request)).leases.map(\.leaseId)
        // What the hub lent in advance, before or after that request, is in the feed.
        let feed = try ChangePage(json: try send("GET", Routes.changes, nil))
        let shares = try feed.changes.filter { $0.entity == LeaseRecord.entity }.compactMap(\.value)
            .map { try LeaseRecord(json: $0).leaseId }
        #expect(!(lent + shares).isEmpty)
        let parts = Set(lent + shares).sorted().map { LeaseReturn.Part(leaseId: $0, spent: 0) }
        _ = try send("POST", Routes.leaseReturns, LeaseReturn(epoch: 1, sequence: 0, leases: parts).json)
    }

    /// One card is captured, another one released.
    private func card(
        _ send: (_ method: String, _ path: String, JSONValue?, [String: String]) throws -> JSONValue
    ) throws {
        for (key, end) in [("card-1", "capture"), ("card-2", "void")] {
            let body: JSONValue = ["orderId": "o1", "amount": ["amount": 900, "currency": "CNY"]]
            _ = try send(
                "POST", Routes.authorizations, body, [HeaderNames.idempotencyKey: "\"\(key)\""])
            _ = try send("GET", "\(Routes.authorizations)/\(key)", nil, [:])
            _ = try send("POST", "\(Routes.authorizations)/\(key)/\(end)", [:], [:])
        }
    }

    /// Sells in a shift and closes it.
    ///
    /// - Returns: the shift.
    private func shift(
        of signing: SigningTill, _ post: (_ path: String, _ body: JSONValue) throws -> JSONValue
    ) throws -> String {
        let shift = "01KB0000000000000000000003"
        var till = TillOverHTTP(signing.grant)
        let opened = till.shiftOpened(shift)
        let sale = till.sale(total: 500, in: shift)
        let closed = till.shiftClosed(shift, from: 1, sales: [500])
        let batch = MutationBatch(mutations: [opened, sale, closed], epoch: 1, lowSequence: 1)
        _ = try post(Routes.mutationBatch, batch.json)
        return shift
    }

    /// A card of the shift that the payment service refused afterwards, as no simulated one is.
    private func debt(of grant: EnrolmentGrant, in shift: String, at hub: HubUnderTest) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        let queue = try DatabaseQueue(path: hub.folder.path("hub.sqlite"), configuration: configuration)
        try queue.write { db in
            try db.execute(
                sql: "INSERT INTO payments (key, terminal_id, order_id, state, amount, currency, "
                    + "decline_reason, decided_at, stored_at, shift_id, debt) "
                    + "VALUES ('K1', ?, 'o2', 'forwardDeclined', 500, 'CNY', 'stolen_card', ?, ?, ?, 500)",
                arguments: [grant.terminalId, 1_795_280_000_000, 1_795_250_000_000, shift])
        }
        try queue.close()
    }
}
