import HubCore
import HubProtocol
import HubServer
import HubStore
import HubStoreSQLite
import TestKit
import Testing

@testable import HubCLI
@testable import HubStorePostgres

/// The journal of one till for days that are long over.
struct OldTill {
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

/// A hub with the trade of some days of last winter at two tills.
final class OldShop {
    static let days = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"]

    let hub: HubCommands
    let kind: HubStoreKind
    var tills = [
        OldTill("01KB0000000000000000000T01", store: "S1", seed: 3),
        OldTill("01KB0000000000000000000T02", store: "S2", seed: 4),
    ]

    /// - Parameter rounds: how often each day is traded.
    init(_ kind: HubStoreKind, confirmed: Bool = true, rounds: Int = 1) async throws {
        self.kind = kind
        hub = try HubCommands(on: kind)
        // A hub has its keys before its first till.
        try await use { _ in }
        let code = await hub.run("enrol-code", "--store-id", "S1")
        try #require(code.exitCode == 0, "\(code.errors)")
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
            for day in Self.days {
                for index in self.tills.indices {
                    let trade = (0..<rounds).flatMap { _ in self.tills[index].trade(on: day) }
                    let push = try self.tills[index].push(trade, on: day, lowSequence: 1)
                    guard case .results(let response) = try await ledger.ingest(push) else {
                        throw CommandFailure.usage("refused")
                    }
                    #expect(response.results.filter { $0.outcome != .applied }.count == rounds)
                }
            }
            if confirmed { try await self.confirm(on: ledger) }
        }
    }

    /// Every till reports that it has all results.
    func confirm(on ledger: any Ledger) async throws {
        for till in tills {
            _ = try await ledger.ingest(
                try till.push([], on: Self.days[3], lowSequence: till.sequence + 1))
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

    /// Every document is in the feed, or it is in a file that is intact.
    func nothingIsLost(
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
}
