import Foundation
import HubCore
import HubProtocol
import HubStore
import TestKit
import Testing

@testable import HubCLI

/// `pos-hub archive` as a process of its own, which is killed as a power cut would.
@Suite("Archives and killed processes", .serialized, .timeLimit(.minutes(5)))
struct ArchiveKillTests {
    /// A shop whose entries and documents go in some six transactions, and the command that archives half of
    /// its days.
    private struct Run {
        let shop: OldShop
        let file: String
        let before: [String: JSONValue]
        let all: [String]

        init(_ kind: HubStoreKind) async throws {
            shop = try await OldShop(kind, rounds: 8)
            file = shop.hub.folder.path("old.archive")
            before = try await shop.views()
            all = await shop.hub.run("journal", "export").output
        }

        func program(_ arguments: String...) throws -> ProgramUnderTest {
            try ProgramUnderTest(
                "pos-hub", arguments + ["--store", shop.hub.store, "--keys", shop.hub.folder.path("keys")])
        }

        func archive() throws -> ProgramUnderTest {
            try program("archive", "--before", "2026-01-03", "--output", file)
        }

        func value(_ sql: String) throws -> Int {
            let text =
                switch shop.kind {
                case .sqlite:
                    try Command.run([
                        "sqlite3", "-cmd", ".timeout 5000",
                        String(shop.hub.store.trimmingPrefix("sqlite:")), sql,
                    ])
                case .postgresql: try PostgresServer.shared.get().sql(sql, on: shop.hub.store)
                }
            return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
        }

        /// Entries that became stubs, and documents that went.
        func removed() throws -> Int {
            try value(
                "SELECT (SELECT COUNT(*) FROM mutations WHERE archive IS NOT NULL) + "
                    + "\(all.count) - (SELECT COUNT(*) FROM documents WHERE number <= \(all.count))")
        }

        /// Whether rows of an archive may go.
        func isWritten() throws -> Bool {
            try value("SELECT COUNT(*) FROM archives WHERE state <> 'writing'") > 0
        }

        /// Waits until something is so, or the program has ended.
        ///
        /// - Returns: whether it is so and the program still runs.
        func reached(_ program: ProgramUnderTest, _ isSo: () throws -> Bool) async throws -> Bool {
            while program.exitCode(within: 0) == nil {
                if try isSo() { return true }
                // Between two looks at a real store, which reports to no other process what it wrote.
                try await Task.sleep(for: .microseconds(500))
            }
            return false
        }

        func exists(_ ending: String = "") -> Bool {
            FileManager.default.fileExists(atPath: file + ending)
        }

        /// What came before is in the views as it was, whatever else came since.
        func isSame() async throws {
            let after = try await shop.views()
            for (name, view) in before { #expect(after[name] == view, "\(name)") }
        }
    }

    @Test(
        "A process that is killed while it writes, behind the file and between the stubs loses nothing",
        arguments: HubStoreKind.all)
    func command(_ kind: HubStoreKind) async throws {
        // A busy machine may run the program to its end between two looks at the store.
        for _ in 0..<4 where try await killsBetweenStubs(kind) > 0 { return }
        Issue.record("no kill came between two stubs")
    }

    /// - Returns: how many kills left a part of the stubs.
    private func killsBetweenStubs(_ kind: HubStoreKind) async throws -> Int {
        let run = try await Run(kind)
        func kill(when isSo: () throws -> Bool) async throws -> ProgramUnderTest {
            let program = try run.archive()
            if try await run.reached(program, isSo) { program.kill() }
            try await run.shop.use { try await run.shop.nothingIsLost(run.all, in: $0, run.file) }
            return program
        }
        _ = try await kill { run.exists(".part") }
        #expect(try run.isWritten() || run.removed() == 0)
        // The file is there, and nothing goes before it is checked once more.
        _ = try await kill { run.exists() }
        #expect(run.exists())
        #expect(try run.isWritten() || run.removed() == 0)
        var (partly, end) = (0, nil as Int32?)
        while end != 0 {
            let gone = try run.removed()
            let program = try await kill { try run.removed() > gone }
            end = program.exitCode(within: 0)
            #expect(end == 0 || end == 128 + SIGKILL, "\(program.errors.lines)")
            if end != 0, try run.removed() > 0 { partly += 1 }
        }
        try await run.isSame()
        #expect(await HubCommands.run(["archive", "verify", run.file]).exitCode == 0)
        #expect(!run.exists(".part"))
        return partly
    }

    @Test(
        "Beside a hub that serves, a till sells on while the command, then the hub, is killed, and the feed names the file",
        arguments: HubStoreKind.all)
    func served(_ kind: HubStoreKind) async throws {
        let run = try await Run(kind)
        var hub = try run.program("serve", "--listen", "127.0.0.1:0")
        var client = try LoopbackClient(url: try hub.line(startingWith: "listening on "))
        var till = try await enrolled(run, client)
        var sold: [String] = []
        func sell() throws {
            let sale = till.sale()
            let headers = till.headers.merging([HeaderNames.idempotencyKey: "\"\(sale.id)\""]) { $1 }
            let response = try client.request(
                "POST", Routes.mutation, headers: headers, body: sale.json.canonicalText)
            #expect(response.status == 201, "\(response.text)")
            sold.append(sale.id)
        }
        func sellWhileItRuns(_ program: ProgramUnderTest, until isSo: () throws -> Bool) async throws -> Bool
        {
            try await run.reached(program) {
                try sell()
                return try isSo()
            }
        }
        let first = try run.archive()
        if try await sellWhileItRuns(first, until: { try run.removed() > 0 }) { first.kill() }
        try sell()
        let gone = try run.removed()
        let second = try run.archive()
        if try await sellWhileItRuns(second, until: { try run.removed() > gone }) {
            hub.kill()
            // A hub that went takes the command with it on SQLite alone.
            _ = second.exitCode()
            hub = try run.program("serve", "--listen", "127.0.0.1:0")
            client = try LoopbackClient(url: try hub.line(startingWith: "listening on "))
        }
        let last = try run.archive()
        #expect(try await !sellWhileItRuns(last, until: { false }))
        #expect(last.exitCode() == 0, "\(last.errors.lines)")
        try sell()
        try await feed(run, client, sold)
        hub.terminate()
        #expect(hub.exitCode() == 0)
        #expect(await HubCommands.run(["archive", "verify", run.file]).exitCode == 0)
        for dimension in SalesDimension.allCases {
            let sales =
                try await run.shop.hub.json(
                    "sales", "--by", dimension.rawValue, "--to", "2026-01-31")["rows"]?.array ?? []
            #expect(
                JSONValue.array(sales.sorted { $0.canonicalText < $1.canonicalText })
                    == run.before["sales \(dimension)"])
        }
    }

    private func enrolled(_ run: Run, _ client: LoopbackClient) async throws -> TillOverHTTP {
        let code = try await run.shop.hub.json("enrol-code", "--store-id", "S1")["code"]?.string
        let enrolment = try SignedEnrolment(code: try #require(code))
        let response = try client.request(
            "POST", Routes.terminals, headers: enrolment.headers, body: enrolment.body)
        try #require(response.status == 201, "\(response.text)")
        return TillOverHTTP(try EnrolmentGrant(json: response.json()))
    }

    /// What an integrator gets: 410 in front of the file's end, with the file, and behind it all the rest.
    private func feed(_ run: Run, _ client: LoopbackClient, _ sold: [String]) async throws {
        let token = try await run.shop.hub.json("operator", "add", "erp", "--role", "integrator")["token"]
        let headers = ["Authorization": "Bearer \(try #require(token?.string))"]
        for path in ["", "?limit=5", "?storeId=S2", "?types=refund"] {
            let response = try client.request("GET", "/v1/journal" + path, headers: headers)
            let problem = try response.json()
            #expect(response.status == 410 && problem["code"] == "archived", "\(response.text)")
            let archive = try #require(problem["archives"]?.array?.first)
            #expect(problem["archives"]?.array?.count == 1)
            #expect(archive["file"]?.string == run.file && archive["before"] == "2026-01-03")
            // Two of four days, in which each round has eight documents at two tills.
            let through = try #require(archive["through"]?.string)
            #expect(through.hasSuffix(".\(run.all.count / 2)") && problem["cursor"]?.string == through)
            #expect(problem["detail"]?.string?.contains(run.file) == true)
        }
        let cursor = try client.request("GET", "/v1/journal", headers: headers).json()["cursor"]?.string ?? ""
        let page = try client.request("GET", "/v1/journal?after=\(cursor)", headers: headers).json()
        let documents = page["documents"]?.array ?? []
        #expect(
            documents.map(\.canonicalText).prefix(run.all.count / 2).map { $0 }
                == run.all.suffix(run.all.count / 2).compactMap {
                    try? JSONParser.parse($0.utf8).canonicalText
                })
        #expect(documents.dropFirst(run.all.count / 2).compactMap { $0["id"]?.string } == sold)
        let before = try client.request(
            "GET", "/v1/journal?after=\(cursor.prefix { $0 != "." }).7", headers: headers)
        #expect(before.status == 410)
    }
}
