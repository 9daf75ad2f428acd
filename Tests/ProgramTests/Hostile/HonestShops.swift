import Base
import Foundation
import HubProtocol
import TestKit
import Testing

/// A hub with three honest terminals in two stores, and one terminal of a third store that may be hostile.
///
/// The honest terminals act by a seed. What each of them receives is written down without what a clock
/// or a counter of the whole chain puts into it, so that two runs can be compared.
final class HonestShops {
    /// One request of an honest terminal and what it received.
    struct Observation: Equatable, CustomStringConvertible {
        let terminal: String
        let request: String
        let status: Int
        let response: String

        var description: String { "\(terminal) \(request) -> \(status) \(response)" }
    }

    let hub: HubUnderTest
    private(set) var honest: [SeededTerminal]
    var other: SeededTerminal
    private(set) var observations: [Observation] = []
    private var random: SplitMix64
    /// Identifiers that the hub mints, with the names that both runs use for them.
    private var names: [(minted: String, name: String)] = []

    static let members = ["m1", "m2", "m3"]
    static let coupon = "HARVEST-2026-X"

    init(store: String?, seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let configuration = folder.path("hub.json")
        try Data(
            #"{"limits":\#(MemberMeasures.configured.canonicalText),"payments":"simulator"}"#.utf8
        )
        .write(to: URL(fileURLWithPath: configuration))
        let hub = try HubUnderTest(["--config", configuration], in: folder, store: store)
        self.hub = hub
        random = SplitMix64(seed: seed)
        try Self.importMasterData(into: hub)
        let tills = try ["S1", "S1", "S2", "S9"].map { try SigningTill(on: hub, store: $0) }
        let terminals = try tills.enumerated().map { index, till in
            try SeededTerminal(till, on: hub, seed: seed &* 31 &+ UInt64(index))
        }
        honest = Array(terminals.prefix(3))
        other = terminals[3]
        names = tills.enumerated().map { ($1.grant.terminalId, "terminal-\($0)") }
        for index in honest.indices { try borrow(index) }
    }

    /// What a terminal may take by cards without the hub, of its store's own.
    private func borrow(_ index: Int) throws {
        let wanted = LeaseRequest(
            kind: .card, subject: honest[index].grant.storeId, amount: 500, epoch: 1)
        let lent = try honest[index].send("POST", Routes.leases, body: wanted.json.canonicalText)
        let leases = try LentLeases(json: try lent.json()).leases
        try #require(!leases.isEmpty, "\(lent.text)")
        honest[index].leases = leases.map(\.leaseId)
        for lease in leases { names.append((lease.leaseId, "lease-\(index)-\(lease.amount)")) }
    }

    private static func importMasterData(into hub: HubUnderTest) throws {
        let files = [
            (
                "products",
                "sku,barcode,name,department,price_minor,currency,tax_basis_points,unit,stock_milli\n"
                    + "tea,1,Tea,drinks,1250,CNY,0,each,900000\nrice,2,Rice,food,300,CNY,0,each,\n"
            ),
            (
                "members",
                "id,phone,name,points,tier\nm1,139001,Li,500,gold\nm2,139002,Wang,0,\nm3,139003,Zhao,7,\n"
            ),
            ("promotions", "id,name,kind,sku,amount_minor\np1,Off,amount,tea,5\n"),
            ("coupons", "code,promotion_id,max_uses\n\(coupon),p1,1000\n"),
        ]
        for (kind, text) in files {
            let file = hub.folder.path(kind + ".csv")
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            let done = try hub.run("import", kind, file)
            try #require(done.exitCode == 0, "\(done.errors)")
        }
        for store in ["S1", "S2"] {
            let set = try hub.run(
                "store-config", "set", "--store-id", store, "offlineCard.perStore=100000")
            try #require(set.exitCode == 0, "\(set.errors)")
        }
    }

    /// A code of a store, as whoever installs a till there has one.
    func enrolmentCode(of store: String) throws -> String {
        try #require(try hub.json("enrol-code", "--store-id", store)["code"]?.string)
    }

    /// One request of one honest terminal, by the seed.
    func step() throws {
        let index = Int(random.below(UInt64(honest.count)))
        switch random.below(12) {
        case 0, 1: try sell(index)
        case 2: try sellByCard(index)
        case 3: try sellMany(index)
        case 4: try refund(index)
        case 5: try writeNote(index)
        case 6: try report(index)
        case 7: try observe(index, "decisions", honest[index].send("GET", Routes.qosDecisions))
        case 8: try lookUp(index)
        case 9, 10: try turnShift(index)
        default: try pull(index)
        }
    }

    private func sell(_ index: Int) throws {
        let sale = honest[index].sale()
        try observe(index, "sale", honest[index].push(sale))
    }

    /// The card is captured with the sale, and looked up then.
    private func sellByCard(_ index: Int) throws {
        let card = honest[index].cardSale()
        let headers = [HeaderNames.idempotencyKey: "\"\(card.key)\""]
        try observe(
            index, "card", honest[index].send("POST", Routes.authorizations, headers, body: card.request))
        try observe(index, "card sale", honest[index].push(card.sale))
        let path = "\(Routes.authorizations)/\(card.key)"
        try observe(index, "card's state", honest[index].send("GET", path))
    }

    private func turnShift(_ index: Int) throws {
        let entry = honest[index].turnShift()
        try observe(index, "shift", honest[index].push(entry))
    }

    private func sellMany(_ index: Int) throws {
        var sales: [Mutation] = []
        for _ in 0..<(2 + Int(random.below(5))) { sales.append(honest[index].sale()) }
        try observe(index, "batch", honest[index].push(sales))
    }

    /// Of a sale of the own store, of this terminal or its neighbour.
    private func refund(_ index: Int) throws {
        let store = honest[index].grant.storeId
        let sales = honest.filter { $0.grant.storeId == store }.flatMap(\.sales)
        guard !sales.isEmpty else { return try sell(index) }
        let own = honest[index].sales
        guard let sale = own.isEmpty ? nil : own[Int(random.below(UInt64(own.count)))] else {
            return try sell(index)
        }
        let refund = honest[index].refund(of: sale, total: 100)
        try observe(index, "refund", honest[index].push(refund))
    }

    private func writeNote(_ index: Int) throws {
        let note = honest[index].entry(
            "note.upserted", "note-\(index)-\(random.below(3))",
            payload: ["text": .string("count the till \(random.below(100))"), "author": "Ann"])
        try observe(index, "note", honest[index].push(note))
    }

    private func report(_ index: Int) throws {
        let body: JSONValue = [
            "windowStart": "2026-11-21T00:00:00.000Z", "windowEnd": "2026-11-21T00:00:01.000Z",
            "services": [
                ["service": "order", "ok": .integer(3 + Int64(random.below(5))), "failed": ["timeout": 0]]
            ],
        ]
        try observe(
            index, "report", honest[index].send("POST", Routes.qosReports, body: body.canonicalText))
    }

    private func lookUp(_ index: Int) throws {
        switch random.below(3) {
        case 0:
            try observe(index, "product", honest[index].send("GET", "/v1/products/1"))
        case 1:
            let basket = #"{"coupons":[],"lines":[{"sku":"tea","quantityMilli":1000,"unitPrice":1250}]}"#
            try observe(
                index, "offers", honest[index].send("POST", Routes.promotionEvaluation, body: basket))
        default:
            let telemetry = #"{"appVersion":"1","osVersion":"1","sync":{"attempts":1,"successes":1}}"#
            try observe(index, "telemetry", honest[index].send("POST", Routes.telemetry, body: telemetry))
        }
    }

    /// The complete feed, by pages, as the state that it leaves: how it is cut into pages may differ.
    private func pull(_ index: Int) throws {
        var (state, cursor): ([String: String], String?) = ([:], nil)
        for _ in 0..<200 {
            let query = "?limit=100" + (cursor.map { "&cursor=\($0)" } ?? "")
            let response = try honest[index].send("GET", Routes.changes + query)
            try #require(response.status == 200, "\(response.text.prefix(300))")
            #expect(response.body.count <= 2 << 20 + 8192, "a page of \(response.body.count) bytes")
            let page = try response.json()
            for change in page["changes"]?.array ?? [] { record(change, in: &state) }
            cursor = page["cursor"]?.string
            if page["hasMore"]?.bool != true { break }
        }
        let lines = state.keys.sorted().map { "\($0) \(state[$0] ?? "")" }
        append(index, "feed", 200, lines.joined(separator: "\n"))
    }

    /// Members and coupons belong to the whole chain: what a hostile terminal may do to them is bounded, not
    /// nothing.
    private func record(_ change: JSONValue, in state: inout [String: String]) {
        guard let entity = change["entity"]?.string, !["member", "coupon"].contains(entity) else { return }
        // The lines are sorted: ids of leases follow no seed.
        let id = change["entityId"]?.string ?? ""
        let name = entity == "lease" ? names.first { $0.minted == id }?.name : nil
        state["\(entity) \(name ?? id)"] =
            "\(change["deleted"]?.bool == true) \(Self.withoutClocks(change["value"] ?? .null).canonicalText)"
    }

    private func observe(_ index: Int, _ request: String, _ response: LoopbackResponse) throws {
        let json = (try? response.json()).map(Self.withoutClocks)
        append(index, request, response.status, json?.canonicalText ?? response.text)
    }

    private func append(_ index: Int, _ request: String, _ status: Int, _ response: String) {
        var text = response
        for (minted, name) in names { text = text.replacingOccurrences(of: minted, with: name) }
        observations.append(
            Observation(terminal: "terminal-\(index)", request: request, status: status, response: text))
    }

    /// Members of a response that follow a clock, a secret of the hub or a counter of the whole chain.
    private static let volatile: Set<String> = [
        "hlc", "receivedAt", "issuedAt", "expiresAt", "since", "issuer", "generation", "pollAfterMs",
        "resume",
        "hubTime", "token", "uploadUrl", "feedMoved", "couponKey", "phoneKey", "publicKey",
        "keyId", "signature",
    ]

    private static func withoutClocks(_ json: JSONValue) -> JSONValue {
        switch json {
        case .object(let members):
            return .object(
                JSONObject(
                    members.filter { !volatile.contains($0.key) }.map { ($0.key, withoutClocks($0.value)) }))
        case .array(let elements): return .array(elements.map(withoutClocks))
        default: return json
        }
    }

    /// Runs a statement on the hub's store: what only days could bring about.
    func run(_ statement: String) throws {
        if hub.store.hasPrefix("postgresql") {
            try PostgresServer.shared.get().sql(statement, on: hub.store)
        } else {
            try Command.run(["sqlite3", "-cmd", ".timeout 5000", hub.folder.path("hub.sqlite"), statement])
        }
    }

    /// What the audit shows of the honest terminals.
    func audits() throws -> [String] {
        let terminals = try hub.json("audit")["terminals"]?.array ?? []
        return honest.indices.map { index in
            let id = honest[index].grant.terminalId
            let row = terminals.first { $0["terminalId"]?.string == id }.map(Self.withoutClocks)
            return (row?.canonicalText ?? "missing").replacingOccurrences(of: id, with: "terminal-\(index)")
        }
    }

    /// The members that were imported, by id, and who is found by their numbers.
    func chainMembers() throws -> [String: JSONValue] {
        var found: [String: JSONValue] = [:]
        for (place, member) in Self.members.enumerated() {
            found[member] = try honest[0].send("GET", "/v1/members/\(member)").json()
            let byNumber = try honest[0].send("GET", "/v1/members?phone=13900\(place + 1)").json()
            found["by number \(place + 1)"] = byNumber["members"]?.array?.first?["id"] ?? .null
        }
        return found
    }
}
