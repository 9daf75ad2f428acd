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

/// The journal of one till for days that are long over.
private struct OldTill {
    let device: DeviceIdentity
    private(set) var sequence: Int64 = 0
    private var previousHash = Mutation.genesisHash
    private var draw: Draw
    private(set) var sold: [Mutation] = []

    struct Draw: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    init(_ terminalId: String, store: String, seed: UInt64) {
        device = DeviceIdentity(terminalId: terminalId, storeId: store)
        draw = Draw(state: seed)
    }

    mutating func number(_ range: ClosedRange<Int64>) -> Int64 { .random(in: range, using: &draw) }

    mutating func ulid() -> String {
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        return "01" + String((0..<24).map { _ in alphabet[Int.random(in: 0..<32, using: &draw)] })
    }

    mutating func minted(
        _ type: String, _ payload: JSONObject, entityId: String? = nil, supersedes: String? = nil
    ) -> Mutation {
        sequence += 1
        let mutation = Mutation(
            id: ulid(), sequence: sequence, type: type, entity: "thing", entityId: entityId ?? ulid(),
            clientGeneratedAt: "2026-01-01T09:00:00.000Z", previousHash: previousHash, dependsOn: [],
            supersedes: supersedes, payload: .object(payload))
        previousHash = mutation.hash
        return mutation
    }

    mutating func sale(on day: String) -> Mutation {
        var (lines, total): ([JSONValue], Int64) = ([], 0)
        for _ in 0..<number(1...3) {
            let price = number(100...4_000)
            let discount = number(0...3) == 0 ? number(0...price) : 0
            total += price - discount
            lines.append([
                "sku": .string("sku\(number(1...5))"), "name": "thing", "quantityMilli": 1000,
                "unitPrice": .integer(price), "discount": .integer(discount),
                "total": .integer(price - discount),
                "taxBasisPoints": .integer([0, 700][Int(number(0...1))]),
            ])
        }
        let card = number(0...total)
        let mutation = minted(
            "order.completed",
            [
                "orderId": .string(ulid()),
                "orderNumber": .string("\(device.storeId)-1-\(day.replacing("-", with: ""))-\(sequence + 1)"),
                "currency": "CNY", "businessDay": .string(day), "taxIncluded": true, "timeZone": "UTC",
                "cashierId": .string("c\(number(1...2))"), "lines": .array(lines),
                "hubTime": .string("\(day)T09:00:01.000Z"),
                "payments": [
                    ["method": "visa", "kind": "card", "amount": .integer(card)],
                    ["method": "cash", "kind": "cash", "amount": .integer(total - card + 5)],
                ], "total": .integer(total), "tax": 0, "change": 5, "cashRounding": 0,
            ])
        sold.append(mutation)
        return mutation
    }

    /// What came back of a sale, on a day.
    mutating func refund(of sale: Mutation, _ amount: Int64, on day: String) -> Mutation {
        minted(
            "refund.completed",
            [
                "orderId": sale.payload["orderId"] ?? .null, "businessDay": .string(day), "cashierId": "c1",
                "currency": "CNY", "total": .integer(amount), "tax": 0, "reason": "broken",
                "payments": [["method": "cash", "kind": "cash", "amount": .integer(amount)]],
                "lines": [],
            ])
    }

    mutating func void(of sale: Mutation, on day: String) -> Mutation {
        minted(
            "order.voided",
            [
                "orderId": sale.payload["orderId"] ?? .null, "businessDay": .string(day), "cashierId": "c1",
                "currency": "CNY", "reason": "typed wrong",
            ])
    }

    /// One day with everything in it, in the order in which it happened.
    mutating func trade(on day: String) -> [Mutation] {
        var all = [
            minted(
                "cash.moved",
                [
                    "moveId": .string(ulid()), "kind": "drop", "amount": 500, "reason": "safe",
                    "currency": "CNY",
                    "businessDay": .string(day), "timeZone": "UTC", "cashierId": "c1", "shiftId": "none",
                ])
        ]
        // The hub refuses it, and a person edits it.
        all.append(minted("order.completed", ["currency": "CNY", "total": 70]))
        let refused = all[1]
        let edit = sale(on: day)
        all.append(
            minted(
                "order.completed", edit.payload.object ?? [:], supersedes: refused.id))
        sold.removeLast()
        _ = edit
        for _ in 0..<4 { all.append(sale(on: day)) }
        all.append(void(of: sold[sold.count - 1], on: day))
        let half = sold[sold.count - 2]
        all.append(refund(of: half, (half.payload["total"]?.integer ?? 0) / 2, on: day))
        return all
    }

    func push(_ mutations: [Mutation], on day: String, lowSequence: Int64?) throws -> IntakeRequest {
        IntakeRequest(
            device: device, epoch: nil, lowSequence: lowSequence,
            mutations: try mutations.map { try ReceivedMutation(json: $0.json) },
            receivedAt: (SaleEntry.milliseconds(of: day) ?? 0) + 10 * 3_600_000)
    }
}

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
    private static let days = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"]

    /// A hub with the trade of some days of last winter at two tills.
    private final class Shop {
        let hub: HubCommands
        let kind: HubStoreKind
        var tills = [
            OldTill("01KB0000000000000000000T01", store: "S1", seed: 3),
            OldTill("01KB0000000000000000000T02", store: "S2", seed: 4),
        ]

        init(_ kind: HubStoreKind, confirmed: Bool = true) async throws {
            self.kind = kind
            hub = try HubCommands(on: kind)
            // A hub has its keys before its first till.
            try await use { _ in }
            _ = await hub.run("enrol-code", "--store-id", "S1")
            try await use { ledger in
                for index in self.tills.indices {
                    let device = self.tills[index].device
                    try await ledger.keepEnrolmentCodes(
                        [device.terminalId], storeId: device.storeId, expiresAt: 100)
                    _ = try await ledger.enrol(
                        EnrolmentApplicant(
                            terminalId: device.terminalId, codeDigest: device.terminalId, name: "till",
                            publicKey: "key\(index)", tokenExpiresAt: 500), at: 50)
                }
                for day in ArchiveTests.days {
                    for index in self.tills.indices {
                        let trade = self.tills[index].trade(on: day)
                        let push = try self.tills[index].push(trade, on: day, lowSequence: 1)
                        guard case .results(let response) = try await ledger.ingest(push) else {
                            throw CommandFailure.usage("refused")
                        }
                        #expect(response.results.filter { $0.outcome != .applied }.count == 1)
                    }
                }
                if confirmed { try await self.confirm(on: ledger) }
            }
        }

        /// Every till reports that it has all results.
        func confirm(on ledger: any Ledger) async throws {
            for till in tills {
                _ = try await ledger.ingest(
                    try till.push([], on: ArchiveTests.days[3], lowSequence: till.sequence + 1))
            }
        }

        func use<Value>(_ body: (any Ledger) async throws -> Value) async throws -> Value {
            let ledger: any Ledger =
                switch kind {
                case .sqlite: try SQLiteLedger(path: String(hub.store.trimmingPrefix("sqlite:")))
                case .postgresql:
                    try PostgresLedger(url: hub.store, budget: PushBudget(), longest: .seconds(60))
                }
            defer {
                (ledger as? SQLiteLedger)?.close()
                (ledger as? PostgresLedger)?.close()
            }
            return try await body(ledger)
        }

        /// Everything that people and back offices see, without the names of files.
        func views() async throws -> [String: JSONValue] {
            var views: [String: JSONValue] = [:]
            for dimension in SalesDimension.allCases {
                let rows = try await hub.json("sales", "--by", dimension.rawValue)["rows"]?.array ?? []
                views["sales \(dimension)"] = .array(rows.sorted { $0.canonicalText < $1.canonicalText })
            }
            views["audit"] = try await hub.json("audit")
            for list in [["orders", "list"], ["flags", "list"], ["shifts", "list"]] {
                views[list[0]] = try await hub.json(list + ["--limit", "1000"])
            }
            for list in [["refused", "list"], ["debts", "list"], ["alarms", "list"]] {
                views[list[0]] = try await hub.json(list + ["--all", "--limit", "1000"])
            }
            let orders = (views["orders"]?["orders"]?.array ?? []).map { order in
                var members = order.object ?? [:]
                members["archived"] = nil
                return JSONValue.object(members)
            }
            views["orders"] = .array(orders)
            return views
        }
    }

    @Test(
        "Every view is the same before and after, and after the figures are computed again",
        arguments: HubStoreKind.all)
    func views(_ kind: HubStoreKind) async throws {
        let shop = try await Shop(kind)
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
        let shop = try await Shop(kind)
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
        // The file has the others, as they were served.
        var shown: [String] = []
        for day in Self.days.prefix(2) {
            shown += await HubCommands.run(["archive", "show", file, "--day", day]).output
        }
        #expect(Set(shown) == Set(all.prefix(32)) && shown.count == 32)
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
        let shop = try await Shop(kind)
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
        let shop = try await Shop(kind)
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
                    try await Self.nothingIsLost(all, in: ledger, file)
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

    /// Every document is in the feed, or it is in a file that is intact.
    private static func nothingIsLost(
        _ all: [String], in ledger: any Ledger, _ file: String
    ) async throws {
        var found = Set<String>()
        if ArchiveFile.exists(file) {
            try await ArchiveFile.read(file) { line in
                if case .document(_, let text) = line { found.insert(text) }
            }
        }
        switch try await ledger.journal(after: nil, limit: 1_000, JournalFilter()) {
        case .page(let documents, _, _): found.formUnion(documents)
        case .archived(let files, let life):
            guard
                case .page(let documents, _, _) = try await ledger.journal(
                    after: JournalCursor(life: life, number: files[0].through), limit: 1_000, JournalFilter())
            else { break }
            found.formUnion(documents)
        case .expired: break
        }
        #expect(Set(all).isSubset(of: found))
    }

    @Test("What keeps a day is listed with what to do, and nothing is changed", arguments: HubStoreKind.all)
    func kept(_ kind: HubStoreKind) async throws {
        let shop = try await Shop(kind, confirmed: false)
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
    }

    @Test("A file that is cut anywhere, or has one wrong byte, is never found intact")
    func damaged() async throws {
        let shop = try await Shop(.sqlite)
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
        let shop = try await Shop(.sqlite)
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
