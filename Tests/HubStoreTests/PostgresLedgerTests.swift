import HubCore
import HubProtocol
import HubStore
import TestKit
import Testing

@testable import HubStorePostgres

@Suite(
    "PostgresLedger: several hubs on one database",
    .enabled(if: PostgresServer.isAvailable, "\(PostgresServer.obstacle ?? "")"))
struct PostgresLedgerTests {
    /// Two hubs, as two processes would be: each with its own connections.
    private let url: String
    private let hubs: [PostgresLedger]

    init() throws {
        let url = try PostgresServer.shared.get().freshSchema()
        self.url = url
        hubs = try (0..<2).map { _ in try PostgresLedger.underLoad(url: url) }
    }

    private func outcomes(_ response: IntakeResponse) -> [String] {
        guard case .results(let response) = response else { return ["refused"] }
        return response.results.map(\.outcome.rawValue)
    }

    @Test("Sixteen clients that race one key on two hubs make one effect and get one response")
    func race() async throws {
        var till = Till()
        let push = try till.push([till.sale()])
        let hubs = hubs
        let responses = try await withThrowingTaskGroup(of: IntakeResponse.self) { group in
            for client in 0..<16 {
                group.addTask { try await hubs[client % 2].ingest(push) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let words = responses.flatMap(outcomes)
        #expect(words.filter { $0 == "applied" }.count == 1)
        #expect(words.filter { $0 == "duplicate" }.count == 15)
        let orders = try PostgresServer.shared.get().sql("SELECT COUNT(*) FROM orders", on: url)
        #expect(orders == "1\n")
    }

    @Test("The check looks at every index once amcheck is installed, and finds none of them damaged")
    func indexes() async throws {
        try PostgresServer.shared.get().sql("CREATE EXTENSION IF NOT EXISTS amcheck SCHEMA public")
        let check = try await hubs[0].check()
        #expect(check.findings == [])
        #expect(check.looked.last?.hasSuffix("indexes by amcheck") == true)
    }

    @Test("One key under two identities, racing: one effect, and the other one's journal counts it too")
    func raceOfIdentities() async throws {
        for _ in 0..<10 {
            let ids = ["A" + Till.ulid(), "B" + Till.ulid()]
            for id in ids {
                try await hubs[0].keepEnrolmentCodes([id], storeId: "S1", expiresAt: 100)
                let applicant = EnrolmentApplicant(
                    terminalId: id, codeDigest: id, name: "till", publicKey: id, tokenExpiresAt: 500)
                _ = try await hubs[0].enrol(applicant, at: 50)
            }
            var till = Till(ids[0])
            let sale = till.sale()
            let first = try till.push([sale])
            let second = try Till(ids[1]).push([sale])
            let hubs = hubs
            async let one = hubs[0].ingest(first)
            async let other = hubs[1].ingest(second)
            let words = try await [one, other].flatMap(outcomes).sorted()
            #expect(words == ["applied", "duplicate"])
        }
    }

    @Test("A terminal that goes from hub to hub keeps one journal, and no moment is given twice")
    func moved() async throws {
        var till = Till()
        var moments: [String] = []
        for number in 0..<30 {
            let push = try till.push([till.sale(), till.sale()])
            guard case .results(let response) = try await hubs[number % 2].ingest(push) else {
                Issue.record("the journal was refused")
                return
            }
            #expect(response.acknowledgedThrough == Int64(2 * number + 2))
            moments += response.results.compactMap { $0.json["hlc"]?.string }
        }
        #expect(moments.count == 60)
        #expect(moments == moments.sorted())
        #expect(Set(moments).count == 60)
    }

    @Test("A code shown at two hubs at once lets one terminal in; numbers do not repeat")
    func enrolment() async throws {
        let hubs = hubs
        let codes = (0..<8).map { "code\($0)" }
        for code in codes { try await hubs[0].keepEnrolmentCodes([code], storeId: "S1", expiresAt: 100) }
        let records = try await withThrowingTaskGroup(of: TerminalRecord?.self) { group in
            for code in codes {
                for hub in hubs {
                    let applicant = EnrolmentApplicant(
                        terminalId: Till.ulid(), codeDigest: code, name: "till", publicKey: "key",
                        tokenExpiresAt: 500)
                    group.addTask { try await hub.enrol(applicant, at: 1) }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(records.compactMap { $0?.number }.sorted() == Array(1...8))
    }

    @Test("A row that the database cannot hold is rejected by itself; the rest of the batch is accepted")
    func badRow() async throws {
        var till = Till()
        // Longer than an index entry can be, and not to be compressed.
        let key = (0..<400).map { _ in Till.ulid() }.joined()
        let bad = till.minted("payment.voided", ["key": .string(key)])
        let sale = till.sale()
        let batch = try till.push([bad, sale, till.sale()])
        guard case .results(let response) = try await hubs[0].ingest(batch) else {
            Issue.record("the journal was refused")
            return
        }
        #expect(response.results.map(\.outcome) == [.rejected, .applied, .applied])
        #expect(response.results.first?.problem?["code"] == "invalid_mutation")
        #expect(response.acknowledgedThrough == 3)
        #expect(outcomes(try await hubs[1].ingest(batch)) == ["duplicate", "duplicate", "duplicate"])
    }

    @Test("A reader that pages while two hubs publish misses nothing and sees nothing twice")
    func feed() async throws {
        let hubs = hubs
        let reader = try PostgresLedger.underLoad(url: url)
        let seen = try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    var till = Till("T\(writer)")
                    for number in 0..<40 {
                        let note = till.minted(
                            "note.upserted", ["text": "x"], entityId: "n\(writer)-\(number)")
                        _ = try await hubs[writer % 2].ingest(till.push([note]))
                    }
                }
            }
            var seen: [String] = []
            var cursor: ChangeCursor?
            while seen.count < 160 {
                let page = try await reader.changes(after: cursor, limit: 7, storeId: "S1")
                guard let page else { break }
                seen += page.changes.map(\.entityId)
                cursor = page.cursor
                if page.changes.isEmpty, group.isEmpty { break }
            }
            try await group.waitForAll()
            return seen
        }
        #expect(seen.count == 160)
        #expect(Set(seen).count == 160)
    }

    @Test("A discard that waits for its own journal keeps no till of another store waiting")
    func heldDiscard() async throws {
        let other = try PostgresConnection(url: url)
        try other.query([PostgresStatement("SET idle_in_transaction_session_timeout = 0")])
        try other.query([.begin, StoreLock.journal(of: "T1").statement])
        var (held, free) = (Till("T1"), Till("T2", store: "S2"))
        let discard = held.minted("mutation.discarded", ["discards": .string(held.sale().id), "reason": "x"])
        let (waits, goes) = (try held.push([discard]), try free.push([free.sale()]))
        let hubs = hubs
        let stuck = Task { try await hubs[0].ingest(waits) }
        let waiting =
            "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
            + "AND datname = current_database() AND query LIKE '%:terminal:%'"
        // Not on the connection in its transaction: what it sees of others stays as it was.
        let watcher = try PostgresConnection(url: url)
        while try watcher.query(waiting).first == nil { await Task.yield() }
        // What a transaction that waits holds is what others wait for with it.
        let locks =
            "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND granted "
            + "AND pid IN (\(waiting))"
        #expect(try watcher.query(locks).first?.integer(0) == 0)
        #expect(outcomes(try await hubs[1].ingest(goes)) == ["applied"])
        try other.query([.rollback])
        _ = try? await stuck.value
    }

    @Test("A journal that another process has locked is reported busy; other terminals go on")
    func heldJournal() async throws {
        let other = try PostgresConnection(url: url)
        // It holds the journal however long this test is kept waiting.
        try other.query([PostgresStatement("SET idle_in_transaction_session_timeout = 0")])
        try other.query([.begin, StoreLock.journal(of: "T1").statement])
        var held = Till("T1")
        var free = Till("T2")
        let (waits, goes) = (try held.push([held.sale()]), try free.push([free.sale()]))
        let hubs = hubs
        let stuck = Task { try await hubs[0].ingest(waits) }
        #expect(outcomes(try await hubs[0].ingest(goes)) == ["applied"])
        await #expect(throws: LedgerError.busy) { try await stuck.value }
        try other.query([.rollback])
        #expect(outcomes(try await hubs[0].ingest(waits)) == ["applied"])
    }

    @Test("Many hubs that start at once on an empty database make its tables once")
    func startTogether() async throws {
        let url = try PostgresServer.shared.get().freshSchema()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 { group.addTask { try await PostgresLedger.underLoad(url: url).checkWritable() } }
            try await group.waitForAll()
        }
    }

    @Test("A database of a newer hub is refused and stays as it is")
    func newer() throws {
        let server = try PostgresServer.shared.get()
        try server.sql("UPDATE hub_schema SET version = 99 WHERE name = 'ledger'", on: url)
        #expect(throws: LedgerError.newerSchema(path: url, found: 99, known: 1)) {
            try PostgresLedger.underLoad(url: url)
        }
        #expect(try server.sql("SELECT version FROM hub_schema WHERE name = 'ledger'", on: url) == "99\n")
    }

    @Test("A password is never shown")
    func shownURL() {
        #expect(
            PostgresURL.shown("postgresql://hub:secret@db:5432/shop?sslmode=require&password=x")
                == "postgresql://hub:***@db:5432/shop?sslmode=require&password=***")
        #expect(PostgresURL.shown("postgresql://hub@db/shop") == "postgresql://hub@db/shop")
    }
}

@Suite(
    "PostgresLedger: the server goes away", .serialized,
    .enabled(if: PostgresServer.isAvailable, "\(PostgresServer.obstacle ?? "")"))
struct PostgresOutageTests {
    @Test("While the server is down all calls fail at once; when it is back, nothing is lost or doubled")
    func restart() async throws {
        let server = try PostgresServer()
        let ledger = try PostgresLedger.underLoad(url: server.freshSchema())
        var till = Till()
        let first = try till.push([till.sale()])
        let second = try till.push([till.sale()])
        _ = try await ledger.ingest(first)
        server.stop(crashing: true)
        await #expect(throws: LedgerError.self) { try await ledger.ingest(second) }
        await #expect(throws: LedgerError.self) { try await ledger.checkWritable() }
        try server.start()
        for push in [first, second] {
            guard case .results(let response) = try await ledger.ingest(push) else {
                Issue.record("the journal was refused")
                return
            }
            #expect(response.results.count == 1)
        }
        guard case .results(let last) = try await ledger.ingest(till.push([])) else { return }
        #expect(last.acknowledgedThrough == 2)
    }

    @Test("What `pos-hub restore` shows for psql gives feed and decisions new names, and marks the store")
    func restored() throws {
        let server = try PostgresServer.shared.get()
        let url = try server.freshSchema()
        _ = (try PostgresLedger.underLoad(url: url), try PostgresQoSLedger(url: url))
        func names() throws -> [String] {
            try [
                "SELECT value FROM meta WHERE key = 'feed'",
                "SELECT value FROM qos_meta WHERE key = 'issuer'",
            ]
            .map { try server.sql($0, on: url) }
        }
        let before = try names()
        // Twice: a second restore of one dump.
        for _ in 0..<2 { try server.sql(PostgresRestore.statements.joined(separator: "; "), on: url) }
        let after = try names()
        #expect(zip(before, after).allSatisfy { $0 != $1 && $0.count == $1.count })
        let marked = try server.sql("SELECT value::bigint > 0 FROM meta WHERE key = 'restored_at'", on: url)
        #expect(marked == "t\n")
        #expect(try PostgresStoreSummary.schema(of: url) == PostgresStoreSummary.knownSchema)
    }

    @Test("A server that does not sync is refused")
    func unsynced() throws {
        let server = try PostgresServer()
        try server.sql("ALTER SYSTEM SET fsync = off")
        try server.sql("SELECT pg_reload_conf()")
        let url = try server.freshSchema()
        #expect(throws: LedgerError.notDurable(path: url)) { try PostgresLedger.underLoad(url: url) }
    }
}
