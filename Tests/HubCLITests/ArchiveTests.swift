import Crypto
import Foundation
import HubCore
import HubProtocol
import HubServer
import HubStore
import HubStoreSQLite
import Synchronization
import TestKit
import Testing

@testable import HubCLI
@testable import HubStorePostgres

/// Ends a command before or behind one of its steps, as a kill would.
private final class EndingService: AdminService {
    struct Ended: Error {}

    private let service: any AdminService
    private let end: Int
    private let isBehind: Bool
    private let count = Mutex(0)

    init(_ service: any AdminService, at end: Int, isBehind: Bool) {
        (self.service, self.end, self.isBehind) = (service, end, isBehind)
    }

    func perform(_ call: AdminCall) async throws -> JSONValue {
        let place = count.withLock { count in
            count += 1
            return count
        }
        if place == end, !isBehind { throw Ended() }
        let response = try await service.perform(call)
        if place == end { throw Ended() }
        return response
    }
}

@Suite("Archives of closed days")
struct ArchiveTests {
    @Test(
        "Every view is the same before and after, and after the figures are computed again",
        arguments: HubStoreKind.all)
    func views(_ kind: HubStoreKind) async throws {
        let shop = try await OldShop(kind)
        let before = try await shop.views()
        let file = shop.hub.folder.path("old.archive")
        let report = try await shop.hub.json("archive", "--before", "2026-01-04", "--output", file)
        #expect(report["archive"]?["state"] == "done", "\(report)")
        #expect(report["kept"] == [])
        // Three days of nine entries at two tills, and of each eight documents.
        #expect(report["archive"]?["documents"] == 48)
        let after = try await shop.views()
        for (name, view) in before { #expect(after[name] == view, "\(name)") }
        _ = try await shop.hub.json("rebuild")
        let rebuilt = try await shop.views()
        for (name, view) in before { #expect(rebuilt[name] == view, "\(name)") }
        let orders = try await shop.hub.json("orders", "list", "--limit", "1000")["orders"]?.array ?? []
        #expect(
            orders.allSatisfy { order in
                (order["archived"]?.string == file) == ((order["businessDay"]?.string ?? "") < "2026-01-04")
            })
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        // What comes behind it goes into another one.
        let other = await shop.hub.run("archive", "--before", "2026-02-01", "--output", file)
        #expect(other.exitCode == 4 && other.errors.first?.contains("2026-01-04") == true, "\(other.errors)")
        let next = shop.hub.folder.path("next.archive")
        let second = try await shop.hub.json("archive", "--before", "2026-02-01", "--output", next)
        #expect(second["archive"]?["documents"] == 16, "\(second)")
        let last = try await shop.views()
        for (name, view) in before { #expect(last[name] == view, "\(name)") }
    }

    @Test(
        "The feed has nothing before the end of an archive and names its file, and a copy of a sale is known",
        arguments: HubStoreKind.all)
    func feed(_ kind: HubStoreKind) async throws {
        let shop = try await OldShop(kind)
        let all = await shop.hub.run("journal", "export").output
        let file = shop.hub.folder.path("old.archive")
        let report = try await shop.hub.json("archive", "--before", "2026-01-03", "--output", file)
        let through = try #require(report["archive"]?["through"]?.integer)
        let refused = await shop.hub.run("journal", "export")
        #expect(refused.exitCode == 4 && refused.errors.contains { $0.contains(file) }, "\(refused.errors)")
        try await shop.use { ledger in
            let life = try await ledger.journalEnd().life
            guard
                case .archived(let files, life) = try await ledger.journal(
                    after: JournalCursor(life: life, number: through - 1), limit: 10, JournalFilter())
            else { return #expect(Bool(false), "it is served") }
            #expect(
                files == [ArchivedDocuments(file: file, before: "2026-01-03", through: through)])
            guard
                case .page(let documents, _, false) = try await ledger.journal(
                    after: JournalCursor(life: life, number: through), limit: 1_000, JournalFilter())
            else { return #expect(Bool(false), "it is not served") }
            #expect(documents == Array(all.suffix(documents.count)) && documents.count == 32)
        }
        // A receiver cannot begin in front of it, and is named the place where it can.
        let life = try #require(report["archive"]?["header"]?["journal"]?.string)
        func add(_ number: Int64) async -> CommandEnd {
            await shop.hub.run("webhook", "add", "https://erp.example/", "--from", "\(life).\(number)")
        }
        let early = await add(through - 1)
        #expect(
            early.exitCode == 4
                && early.errors.first?.contains("\(file): read them in") == true
                && early.errors.first?.hasSuffix("--from \(life).\(through).") == true, "\(early.errors)")
        #expect(await add(through).exitCode == 0)
        #expect(await add(1_000_000).errors.first?.contains("is none") == true)
        // The file has the others, as they were served.
        var shown: [String] = []
        for day in OldShop.days.prefix(2) {
            shown += await HubCommands.run(["archive", "show", file, "--day", day]).output
        }
        #expect(Set(shown) == Set(all.prefix(32)) && shown.count == 32)
        let whole = await HubCommands.run(["archive", "show", file, "--documents"])
        #expect(whole.output == Array(all.prefix(32)))
        let twice = await HubCommands.run(["archive", "show", file, "--documents", "--day", "2026-01-01"])
        #expect(twice.exitCode == 2 && twice.output.isEmpty)
        try await shop.use { ledger in
            let sale = shop.tills[0].sold[0]
            let push = try shop.tills[0].push([sale], on: "2026-01-09", lowSequence: nil)
            guard case .results(let response) = try await ledger.ingest(push) else {
                throw CommandFailure.usage("refused")
            }
            #expect(response.results.map(\.outcome) == [.duplicate])
        }
    }

    @Test(
        "A sale of an archive is shown, and gives back what is left of its sum and no more",
        arguments: HubStoreKind.all)
    func refunds(_ kind: HubStoreKind) async throws {
        let shop = try await OldShop(kind)
        let half = shop.tills[0].sold[2]
        let number = half.payload["orderNumber"]?.string ?? ""
        let total = half.payload["total"]?.integer ?? 0
        let before = try await shop.hub.json("orders", "show", number)
        let file = shop.hub.folder.path("old.archive")
        _ = try await shop.hub.json("archive", "--before", "2026-02-01", "--output", file)
        let after = try await shop.hub.json("orders", "show", number)
        #expect(after["archived"]?.string == file && after["lines"] == [])
        for name in [
            "total", "tax", "refunded", "state", "soldAt", "reversals", "flags", "change", "businessDay",
        ] {
            #expect(after[name] == before[name], "\(name)")
        }
        let shown = try await HubCommands.run(["archive", "show", file, "--order", number, "--json"])
            .document()
        #expect(shown["lines"]?.array?.count == before["lines"]?.array?.count)
        for name in [
            "orderId", "total", "tax", "discounts", "refunded", "state", "soldAt", "receivedAt", "mutationId",
        ] {
            #expect(shown[name] == before[name], "\(name)")
        }
        let text = await HubCommands.run(["archive", "show", file, "--order", number]).output
        #expect(text.first == (await shop.hub.run("orders", "show", number).output.first))
        #expect(await HubCommands.run(["archive", "show", file, "--order", "none"]).exitCode == 4)
        let left = total - total / 2
        try await shop.use { ledger async throws in
            func outcome(_ mutation: Mutation) async throws -> MutationResult? {
                let push = try shop.tills[0].push([mutation], on: "2026-08-01", lowSequence: nil)
                guard case .results(let response) = try await ledger.ingest(push) else { return nil }
                return response.results.first
            }
            let tooMuch = shop.tills[0].refund(of: half, left + 1, on: "2026-08-01")
            #expect(try await outcome(tooMuch)?.outcome == .conflict)
            let rest = shop.tills[0].refund(of: half, left, on: "2026-08-01")
            #expect(try await outcome(rest)?.outcome == .applied)
            let more = shop.tills[0].refund(of: half, 1, on: "2026-08-01")
            #expect(try await outcome(more)?.outcome == .conflict)
            // A void takes all of a sale back, to the cent.
            let whole = shop.tills[0].sold[0]
            #expect(try await outcome(shop.tills[0].void(of: whole, on: "2026-08-02"))?.outcome == .applied)
        }
        #expect(try await shop.hub.json("orders", "show", number)["state"] == "refunded")
        let net = try await shop.hub.json("sales", "--from", "2026-08-02")["rows"]?.array?.first?["net"]
        #expect(net?.integer == -(shop.tills[0].sold[0].payload["total"]?.integer ?? 0))
    }

    @Test(
        "A command that ends before or behind any step loses nothing, and goes on when it is given again",
        arguments: HubStoreKind.all)
    func kills(_ kind: HubStoreKind) async throws {
        let shop = try await OldShop(kind)
        let before = try await shop.views()
        let all = await shop.hub.run("journal", "export").output
        let file = shop.hub.folder.path("old.archive")
        let location = try #require(StoreLocation(shop.hub.store))
        try await shop.use { ledger in
            let service = LedgerService(
                ledger: ledger, configuration: HubConfiguration(store: location))
            var (place, isBehind, ends) = (1, false, 0)
            while true {
                var run = ArchiveRun(
                    service: EndingService(service, at: place, isBehind: isBehind), before: "2026-01-03",
                    file: file)
                run.removedAtOnce = 9
                do {
                    let report = try await run.perform()
                    #expect(report["archive"]?["state"] == "done")
                    break
                } catch is EndingService.Ended {
                    ends += 1
                    try await shop.nothingIsLost(all, in: ledger, file)
                }
                // A later step each time, so that every one is met in the state that the ones before left.
                if isBehind { place += 1 }
                isBehind.toggle()
            }
            #expect(ends > 10, "\(ends)")
        }
        let after = try await shop.views()
        for (name, view) in before { #expect(after[name] == view, "\(name)") }
        #expect(await HubCommands.run(["archive", "verify", file]).exitCode == 0)
        #expect(!FileManager.default.fileExists(atPath: file + ".part"))
    }

    @Test("What keeps a day is listed with what to do, and nothing is changed", arguments: HubStoreKind.all)
    func kept(_ kind: HubStoreKind) async throws {
        let shop = try await OldShop(kind, confirmed: false)
        let file = shop.hub.folder.path("old.archive")
        let end = await shop.hub.run("archive", "--before", "2026-02-01", "--output", file)
        #expect(end.exitCode == 4 && !FileManager.default.fileExists(atPath: file))
        #expect(
            end.output.contains { $0.contains("2026-01-01: the terminal") && $0.contains("pos sync now") })
        try await shop.use { ledger in
            try await shop.confirm(on: ledger)
            // A refused entry that nobody decided about keeps the last day alone.
            let refused = shop.tills[0].minted("order.completed", ["currency": "CNY", "total": 9])
            _ = try await ledger.ingest(
                try shop.tills[0].push(
                    [refused], on: "2026-01-04", lowSequence: shop.tills[0].sequence + 1))
        }
        let report = try await shop.hub.json("archive", "--before", "2026-02-01", "--output", file)
        #expect(report["archive"]?["before"] == "2026-01-04", "\(report)")
        #expect(report["kept"]?.array?.map { $0["kind"] } == ["refusal"])
        let recent = await shop.hub.run("archive", "--before", "2999-01-01", "--output", file + "2")
        #expect(recent.exitCode == 4)
        let again = await shop.hub.run("archive", "--before", "2026-01-04", "--output", file)
        #expect(again.exitCode == 0 && again.output.contains { $0.contains("done") }, "\(again.errors)")
        // The same command again, and one that wants fewer days than the file has.
        let same = try await shop.hub.json("archive", "--before", "2026-02-01", "--output", file)
        #expect(same["archive"]?["before"] == "2026-01-04")
        #expect(same["kept"]?.array?.map { $0["kind"] } == ["refusal"])
        let fewer = await shop.hub.run("archive", "--before", "2026-01-02", "--output", file)
        #expect(fewer.exitCode == 4 && fewer.errors.first?.contains("2026-01-04") == true, "\(fewer.errors)")
    }

    @Test("A file that is cut anywhere, or has one wrong byte, is never found intact")
    func damaged() async throws {
        let shop = try await OldShop(.sqlite)
        let file = shop.hub.folder.path("old.archive")
        _ = try await shop.hub.json("archive", "--before", "2026-01-02", "--output", file)
        let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: file)))
        func isIntact(_ bytes: some Sequence<UInt8>) -> Bool {
            var reader = ArchiveReader()
            var line: [UInt8] = []
            do throws(ArchiveDamage) {
                for byte in bytes {
                    guard byte == UInt8(ascii: "\n") else {
                        line.append(byte)
                        continue
                    }
                    _ = try reader.read(line)
                    line = []
                }
                try reader.finish(rest: line.count)
                return true
            } catch {
                return false
            }
        }
        #expect(isIntact(bytes))
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // One line of each kind at every byte; all others at one in a hundred.
        var place = 0
        var kinds = Set<Substring>()
        for line in lines.dropLast() {
            let text = String(decoding: line.dropFirst(65).prefix(12), as: UTF8.self)
            let isWhole = kinds.insert(text.prefix { $0 != ":" }).inserted
            for index in stride(from: 0, through: line.count, by: isWhole ? 1 : 100) {
                var wrong = bytes
                wrong[place + index] ^= UInt8(1 << (index % 8))
                #expect(!isIntact(wrong), "byte \(place + index)")
                #expect(!isIntact(bytes.prefix(place + index)), "cut at \(place + index)")
            }
            place += line.count + 1
        }
        #expect(kinds.count == 5 && !isIntact(bytes + [10]) && !isIntact(bytes + Array("x\n".utf8)))
        #expect(!isIntact(bytes + Array("x".utf8)))
        // As the format's page says, computed by other code: each hash is over the one before it.
        var hash = String(repeating: "0", count: 64)
        for line in lines.dropLast() {
            let digest = SHA256.hash(data: Array(hash.utf8) + line.dropFirst(65))
            hash = digest.map { String(format: "%02x", $0) }.joined()
            #expect(Array(line.prefix(64)) == Array(hash.utf8))
        }
        // Of a file too: where it is broken, in which line.
        var wrong = bytes
        wrong[lines[0].count + 100] ^= 1
        try Data(wrong).write(to: URL(fileURLWithPath: file))
        let end = await HubCommands.run(["archive", "verify", file])
        #expect(end.exitCode == 1 && end.errors.contains { $0.contains("line 2") }, "\(end.errors)")
        let shown = await HubCommands.run(["archive", "show", file, "--day", "2026-01-01"])
        #expect(shown.exitCode == 1 && shown.output.isEmpty)
    }

    @Test(
        "A backup and a move take stubs, sums and the names of files along",
        .enabled(if: PostgresServer.isAvailable))
    func copies() async throws {
        let shop = try await OldShop(.sqlite)
        let before = try await shop.views()
        let file = shop.hub.folder.path("old.archive")
        // All of it goes, so that the last number is in the archive alone.
        _ = try await shop.hub.json("archive", "--before", "2026-02-01", "--output", file)
        // A hub that never made a key has none to restore.
        _ = try await shop.hub.json("enrol-code", "--store-id", "S1")
        let copy = shop.hub.folder.path("backup")
        #expect(await shop.hub.run("backup", copy).exitCode == 0)
        let other = try HubCommands()
        let restore = await other.run("restore", copy)
        #expect(restore.exitCode == 0, "\(restore.errors)")
        let moved = try PostgresServer.shared.get().freshSchema()
        let target = try PostgresMoveTarget(url: moved)
        let source = try SQLiteMoveSource(
            ledger: String(shop.hub.store.trimmingPrefix("sqlite:")), qos: nil)
        _ = try StoreMove(keys: KeyRecord(publicKeys: "p", privateKeys: "k")).run(
            from: source, to: target, reported: { _ in })
        for store in [other.store, moved] {
            func json(_ arguments: [String]) async throws -> JSONValue {
                try await HubCommands.run(
                    arguments + ["--json", "--store", store, "--keys", other.folder.path("keys")]
                ).document()
            }
            let rows = try await json(["sales", "--by", "tender"])["rows"]?.array ?? []
            #expect(
                JSONValue.array(rows.sorted { $0.canonicalText < $1.canonicalText })
                    == before["sales tender"], "\(store)")
            #expect(try await json(["archive", "list"])["archives"]?.array?.first?["file"]?.string == file)
        }
        let ledger = try PostgresLedger(url: moved, budget: PushBudget(), longest: .seconds(60))
        defer { ledger.close() }
        let end = try await ledger.journalEnd()
        #expect(end.number == 64)
        let sale = shop.tills[0].sale(on: "2026-08-01")
        _ = try await ledger.ingest(
            try shop.tills[0].push([sale], on: "2026-08-01", lowSequence: nil))
        #expect(try await ledger.journalEnd().number > 64)
    }
}
