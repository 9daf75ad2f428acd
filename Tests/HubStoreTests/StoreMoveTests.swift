import GRDB
import HubCore
import HubProtocol
import HubStore
import TestKit
import Testing

@testable import HubStorePostgres
@testable import HubStoreSQLite

@Suite(
    "StoreMove", .enabled(if: PostgresServer.isAvailable, "\(PostgresServer.obstacle ?? "")"))
struct StoreMoveTests {
    private let keys = KeyRecord(publicKeys: "public", privateKeys: "private")

    @discardableResult
    private func move(_ path: String, qos: String? = nil, to url: String) throws -> Int {
        try StoreMove(keys: keys).run(
            from: SQLiteMoveSource(ledger: path, qos: qos), to: PostgresMoveTarget(url: url)
        ) { _ in }
    }

    @Test("Keys, responses, journals, cursors, codes, payments and decisions go on to count in the database")
    func moved() async throws {
        let store = try TemporaryStore(.sqlite)
        let qosPath = store.folder.path("qos.sqlite")
        let qos = try SQLiteQoSLedger(path: qosPath)
        let decision = QoSKeptDecision(
            service: "order", previous: 1, generation: 4, state: ["a": 1], changes: [["n": 1]])
        #expect(try await qos.decide(decision) == .kept)
        let source = store.ledger
        for code in ["a", "b"] {
            try await source.keepEnrolmentCodes([code], storeId: "S1", expiresAt: 100)
        }
        let applicant = EnrolmentApplicant(
            terminalId: "T1", codeDigest: "a", name: "till", publicKey: "key", tokenExpiresAt: 500)
        _ = try await source.enrol(applicant, at: 50)
        let product = ProductRecord(
            sku: "tea", barcode: "1", name: "Tea", department: "", priceMinor: 1250, currency: "CNY",
            taxBasisPoints: 0, unit: .each, stockMilli: 1500)
        _ = try await source.importProducts([product], at: 1)
        let cursor = try #require(try await source.changes(after: nil, limit: 9, storeId: "S1")).cursor
        _ = try await source.void(key: "ahead", of: "T1", at: 1, within: IntakeLimits())
        let photo = AttachmentInfo(
            id: "P", sha256: String(repeating: "a", count: 64), size: 300, contentType: "image/png",
            isUrgent: true)
        _ = try await source.openAttachment(photo, of: "T1", at: 3)
        let piece = (0..<300).map { UInt8($0 % 256) }
        _ = try await source.appendChunk(piece, at: 0, to: "P", of: "T1")
        var till = Till()
        let sales = (0..<700).map { _ in till.sale() }
        let push = try till.push(Array(sales.prefix(600)))
        let first = try #require(try await store.take(push))

        let url = try PostgresServer.shared.get().freshSchema()
        let rows = try move(store.place, qos: qosPath, to: url)
        #expect(rows > 1_800)

        let target = try PostgresLedger.underLoad(url: url)
        #expect(try await target.keyRecord() == keys)
        #expect(try await target.audit(terminal: nil) == source.audit(terminal: nil))
        #expect(try await target.terminals() == source.terminals())
        guard case .results(let again) = try await target.ingest(push) else {
            Issue.record("the journal was refused")
            return
        }
        #expect(again.results.allSatisfy { $0.outcome == .duplicate })
        #expect(again.results.last?.json["result"] == first.results.last?.json)
        guard case .results(let rest) = try await target.ingest(till.push(Array(sales.suffix(100)))) else {
            Issue.record("the journal was refused")
            return
        }
        #expect(rest.acknowledgedThrough == 700)
        let lastMoment = first.results.last?.json["hlc"]?.string ?? ""
        #expect(rest.results.allSatisfy { ($0.json["hlc"]?.string ?? "") > lastMoment })
        #expect(try await target.changes(after: cursor, limit: 9, storeId: "S1")?.changes == [])
        _ = try await target.importProducts(
            [
                ProductRecord(
                    sku: "milk", barcode: "2", name: "Milk", department: "", priceMinor: 1, currency: "CNY",
                    taxBasisPoints: 0, unit: .each, stockMilli: nil)
            ], at: 2)
        let page = try #require(try await target.changes(after: cursor, limit: 9, storeId: "S1"))
        #expect(page.changes.map(\.entityId) == ["milk"])
        #expect(try await target.payment(key: "ahead", of: "T1")?.state == .voided)
        #expect(try await target.attachments(terminal: nil) == source.attachments(terminal: nil))
        #expect(try await target.attachmentPiece("P", of: "T1", at: 0) == piece)
        let memory = try await PostgresQoSLedger(url: url).load()
        #expect(memory == (try await qos.load()))
    }

    @Test("Points go on to add up, and what was given up stays given up")
    func members() async throws {
        let store = try TemporaryStore(.sqlite)
        var till = Till()
        let created = till.minted("member.created", ["name": "Li", "phone": "1-39"], entityId: "M")
        let points = till.minted("points.adjusted", ["delta": 7], entityId: "M")
        let gone = Till.ulid()
        let discard = till.minted("mutation.discarded", ["discards": .string(gone)])
        _ = try await store.take(till.push([created, points, discard]))
        let url = try PostgresServer.shared.get().freshSchema()
        try move(store.place, to: url)
        let target = try PostgresLedger.underLoad(url: url)
        #expect(try await target.members(lookup: "139", limit: 9).first?.points == 7)
        let more = till.minted("points.adjusted", ["delta": -9], entityId: "M")
        let orphan = till.minted("order.voided", ["orderId": "x"], dependsOn: [gone])
        guard case .results(let response) = try await target.ingest(till.push([more, orphan])) else {
            Issue.record("the journal was refused")
            return
        }
        #expect(response.results.map(\.outcome) == [.applied, .rejected])
        let page = try #require(try await target.changes(after: nil, limit: 9, storeId: "S1"))
        #expect(page.changes.map(\.value) == [["name": "Li", "phone": "1-39", "points": -2]])
        #expect(page.changes.map(\.version) == [3])
        #expect(try await target.members(lookup: "139", limit: 9).map(\.id) == ["M"])
    }

    @Test("A database that holds something is left as it is")
    func notEmpty() async throws {
        let store = try TemporaryStore(.sqlite)
        let target = try TemporaryStore(.postgresql)
        try await target.ledger.keepEnrolmentCodes(["a"], storeId: "S1", expiresAt: 100)
        #expect(throws: LedgerError.notEmpty(path: target.place)) {
            try move(store.place, to: target.place)
        }
    }
}

/// What a move reads of the file, without a database to move it to.
@Suite("MovedTable")
struct MovedTableTests {
    @Test("Every column of every table moves, but for sums that are added up again and the file's own")
    func columns() throws {
        let store = try TemporaryStore(.sqlite)
        let own = ["meta", "sales_sums", "write_checks"]
        let declared = try DatabaseQueue(path: store.place).read { db in
            let tables = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
            return try tables.filter { !own.contains($0) }.reduce(into: [String: [String]]()) {
                $0[$1] = try Row.fetchAll(db, sql: "PRAGMA table_info(\($1))").map {
                    "\($0["name"] as String) \($0["type"] as String)"
                }
            }
        }
        let moved = MovedTable.ledger.map { table in
            (
                table.source,
                table.columns.map { column in
                    switch column {
                    case .text(let name): "\(name) TEXT"
                    case .integer(let name): "\(name) INTEGER"
                    case .bytes(let name): "\(name) BLOB"
                    }
                }
            )
        }
        #expect(declared.count > 40 && Dictionary(moved) { first, _ in first } == declared)
    }
}
