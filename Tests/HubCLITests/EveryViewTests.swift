import Foundation
import HubCore
import HubProtocol
import HubStore
import HubStoreSQLite
import Pricing
import TestKit
import Testing

@testable import HubCLI
@testable import HubStorePostgres

/// Some days of a store with everything in them, drawn from a seed, and what they come to by the tills' own
/// arithmetic.
private struct DrawnDays {
    struct Draw: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    struct Sold {
        let mutation: Mutation
        let currency: String
        let total: Int64
        /// What each tender has of the total.
        let tenders: [(payment: JSONObject, amount: Int64)]
        var isDone = false
    }

    var draw: Draw
    private var sequence: Int64 = 0
    private var previousHash = Mutation.genesisHash
    var sold: [Sold] = []
    /// Keys of cards that were taken offline.
    private(set) var stored: [String] = []
    /// By day, and by tender, each with the currency.
    private(set) var byDay: [String: Int64] = [:]
    private(set) var byTender: [String: Int64] = [:]
    private(set) var tax: Int64 = 0
    /// What the shift counts, in which all of it happens.
    private var tally = ShiftTally()
    private let opening = ShiftOpening(
        shiftId: "01KB000000000000000000SH1F", businessDay: "2026-11-21", timeZone: "UTC", currency: "CNY",
        openedAt: 1_000, openedBy: nil, float: 0)
    static let device = DeviceIdentity(terminalId: "01KB0000000000000000000T01", storeId: "S1")

    init(seed: UInt64) { draw = Draw(state: seed &* 2 &+ 1) }

    mutating func number(_ range: ClosedRange<Int64>) -> Int64 { .random(in: range, using: &draw) }

    mutating func ulid() -> String {
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        return "01" + String((0..<24).map { _ in alphabet[Int.random(in: 0..<32, using: &draw)] })
    }

    private mutating func minted(
        _ type: String, _ payload: JSONObject, supersedes: String? = nil
    ) -> Mutation {
        sequence += 1
        var payload = payload
        if payload["shiftId"] == nil { payload["shiftId"] = .string(opening.shiftId) }
        let mutation = Mutation(
            id: ulid(), sequence: sequence, type: type, entity: "thing", entityId: ulid(),
            clientGeneratedAt: "2026-11-21T09:00:00.000Z", previousHash: previousHash, dependsOn: [],
            supersedes: supersedes, payload: .object(payload))
        previousHash = mutation.hash
        return mutation
    }

    mutating func opened() -> Mutation { minted(ShiftOpening.type, opening.json.object ?? [:]) }

    /// The Z report, by the same arithmetic as a till's.
    mutating func closed() -> Mutation {
        let closing = ShiftClosing(
            opening: opening, closedAt: 2_000, closedBy: nil,
            cash: ShiftClosing.Cash(expected: tally.sums.expectedCash(float: 0), counted: 0), counted: [],
            sums: tally.sums, from: 1, to: sequence, head: previousHash)
        return minted(ShiftClosing.type, closing.json.object ?? [:])
    }

    private mutating func note(_ mutation: Mutation, voiding sale: Mutation? = nil) {
        tally.add(
            id: mutation.id, type: mutation.type, payload: mutation.payload, voided: sale?.payload)
    }

    private mutating func day() -> String { "2026-11-2\(number(1...3))" }

    private mutating func count(_ day: String, _ currency: String, _ parts: [(String, Int64)], tax: Int64) {
        byDay["\(day) \(currency)", default: 0] += parts.reduce(0) { $0 + $1.1 }
        for (method, amount) in parts { byTender["\(method) \(currency)", default: 0] += amount }
        self.tax += tax
    }

    /// A sale, sometimes behind one that the hub refuses and that a person edited.
    mutating func sale() -> [Mutation] {
        var refused: [Mutation] = []
        if number(0...9) == 0 { refused = [minted("order.completed", ["currency": "CNY"])] }
        let currency = ["CNY", "JPY", "KWD"][Int(number(0...2))]
        var (lines, total, taxes): ([JSONValue], Int64, [Int64: Int64]) = ([], 0, [:])
        for _ in 0..<number(1...4) {
            let (price, rate) = (number(1...4_000), [0, 700, 1_900][Int(number(0...2))] as Int64)
            let discount = number(0...3) == 0 ? number(0...price) : 0
            total += price - discount
            taxes[rate, default: 0] += price - discount
            lines.append([
                "sku": .string("sku\(number(1...5))"), "name": "thing", "quantityMilli": 1000,
                "unitPrice": .integer(price), "discount": .integer(discount),
                "pointsValue": .integer(discount / 2), "total": .integer(price - discount),
                "taxBasisPoints": .integer(rate),
            ])
        }
        let tax = taxes.reduce(0) { sum, part in
            sum + ((try? MoneyRange.share(of: part.value, times: part.key, over: 10_000 + part.key)) ?? 0)
        }
        let (tenders, change, rounding) = paid(total)
        let day = day()
        let mutation = minted(
            "order.completed",
            [
                "orderId": .string(ulid()), "orderNumber": .string("S1-1-20261121-\(sequence)"),
                "currency": .string(currency), "businessDay": .string(day), "taxIncluded": true,
                "timeZone": "UTC", "cashierId": .string("c\(number(1...2))"), "lines": .array(lines),
                "hubTime": "2026-11-21T09:00:01.000Z",
                "payments": .array(tenders.map { .object($0.payment) }), "total": .integer(total),
                "tax": .integer(tax), "change": .integer(change), "cashRounding": .integer(rounding),
            ], supersedes: refused.first?.id)
        count(day, currency, tenders.map { ($0.payment["method"]?.string ?? "", $0.amount) }, tax: tax)
        sold.append(Sold(mutation: mutation, currency: currency, total: total, tenders: tenders))
        note(mutation)
        return refused + [mutation]
    }

    /// How a total is paid: cash is rounded to 5 and has change, the rest of it is exact.
    private mutating func paid(
        _ total: Int64
    ) -> (tenders: [(payment: JSONObject, amount: Int64)], change: Int64, rounding: Int64) {
        let card = number(0...2) == 0 ? number(0...total) : 0
        let voucher = number(0...2) == 0 ? number(0...(total - card)) : 0
        let cash = total - card - voucher
        let rounding = (cash + 2) / 5 * 5 - cash
        let change = cash > 0 && number(0...1) == 0 ? 5 * number(1...40) : 0
        var tenders: [(payment: JSONObject, amount: Int64)] = []
        if card > 0 {
            let key = ulid()
            stored.append(key)
            let payment: JSONObject = [
                "method": "visa", "kind": "card", "amount": .integer(card), "authorizationKey": .string(key),
                "state": "storedOffline", "sealed": ["keyId": "s", "token": "dG9rZW4="],
                "storedAt": "2026-11-21T09:00:00.000Z",
            ]
            tenders.append((payment, card))
        }
        if voucher > 0 {
            tenders.append((["method": "gift", "kind": "voucher", "amount": .integer(voucher)], voucher))
        }
        if cash > 0 {
            let handed = cash + rounding + change
            tenders.append((["method": "cash", "kind": "cash", "amount": .integer(handed)], cash))
        }
        return (tenders, change, cash > 0 ? rounding : 0)
    }

    /// A void or a whole refund of a sale that nothing came back of yet; nil where there is none.
    mutating func reversal() -> Mutation? {
        guard let place = sold.indices.filter({ !sold[$0].isDone }).randomElement(using: &draw) else {
            return nil
        }
        sold[place].isDone = true
        let (sale, day) = (sold[place], day())
        let payload = sale.mutation.payload
        let parts = sale.tenders.map { ($0.payment["method"]?.string ?? "", -$0.amount) }
        let tax = -(payload["tax"]?.integer ?? 0)
        count(day, sale.currency, parts, tax: tax)
        let common: JSONObject = [
            "orderId": payload["orderId"] ?? .null, "businessDay": .string(day), "cashierId": "c1",
            "currency": .string(sale.currency), "timeZone": "UTC",
        ]
        var members = common
        members["total"] = .integer(sale.total)
        guard number(0...2) > 0 else {
            let void = minted("order.voided", members)
            note(void, voiding: sale.mutation)
            return void
        }
        members["tax"] = payload["tax"]
        members["cashRounding"] = payload["cashRounding"]
        members["lines"] = payload["lines"]
        let rounding = payload["cashRounding"]?.integer ?? 0
        members["payments"] = .array(
            sale.tenders.map { payment, amount in
                var back = payment
                let isCash = payment["kind"] == "cash"
                back["amount"] = .integer(amount + (isCash ? rounding : 0))
                for name in ["sealed", "storedAt"] { back[name] = nil }
                if payment["kind"] == "card" { back["state"] = "refunded" }
                return .object(back)
            })
        let refund = minted("refund.completed", members)
        note(refund)
        return refund
    }
}

/// What the hub shows of one thing in different places.
@Suite("Every view comes to the same")
struct EveryViewTests {
    private func ledger(_ place: String, _ kind: HubStoreKind) throws -> any Ledger {
        switch kind {
        case .sqlite: try SQLiteLedger(path: String(place.trimmingPrefix("sqlite:")))
        // Beside hundreds of other tests on few cores a database may take its time.
        case .postgresql: try PostgresLedger(url: place, budget: PushBudget(), longest: .seconds(60))
        }
    }

    private func push(_ mutations: [Mutation], to ledger: any Ledger) async throws {
        let request = IntakeRequest(
            device: DrawnDays.device, epoch: nil, lowSequence: nil,
            mutations: try mutations.map { try ReceivedMutation(json: $0.json) },
            receivedAt: 1_795_338_000_000)
        guard case .results(let response) = try await ledger.ingest(request) else {
            throw CommandFailure.usage("refused")
        }
        let refused = response.results.filter { $0.outcome != .applied }
        #expect(refused.count <= mutations.count / 2, "\(refused)")
        for result in response.results where result.outcome == .applied {
            let flags = result.json["flags"]?.array?.compactMap(\.string) ?? []
            #expect(!flags.contains("amounts_differ") && !flags.contains("payment_differs"), "\(flags)")
        }
    }

    /// Trades for some days, with cards that are refused before and after their goods came back.
    private func trade(_ days: inout DrawnDays, on ledger: any Ledger) async throws {
        for _ in 0..<40 {
            var mutations = days.sale()
            if days.number(0...1) == 0, let reversal = days.reversal() { mutations.append(reversal) }
            try await push(mutations, to: ledger)
            if let key = days.stored.randomElement(using: &days.draw), days.number(0...1) == 0 {
                _ = try await ledger.settle(key: key, by: .declined(reason: "stolen_card"), at: 5)
            }
        }
        let debts = try await ledger.paymentDebts(of: nil)
        for debt in debts.prefix(2) {
            _ = try await ledger.settleDebt(
                debt.payment.key, .paid, by: "kim", reason: "paid in cash", at: 9)
        }
    }

    private static func sums(_ rows: [(String, Int64)]) -> [String: Int64] {
        rows.reduce(into: [:]) { $0[$1.0, default: 0] += $1.1 }.filter { $0.value != 0 }
    }

    @Test(
        "Journal, figures, listings, exports, audit and debts of drawn days agree with the tills to the cent",
        arguments: HubStoreKind.all, [1, 2, 3] as [UInt64])
    func agree(_ kind: HubStoreKind, _ seed: UInt64) async throws {
        let hub = try HubCommands(on: kind)
        var days = DrawnDays(seed: seed)
        do {
            let ledger = try ledger(hub.store, kind)
            defer { (ledger as? SQLiteLedger)?.close() }
            try await ledger.keepEnrolmentCodes(["code"], storeId: "S1", expiresAt: 100)
            _ = try await ledger.enrol(
                EnrolmentApplicant(
                    terminalId: DrawnDays.device.terminalId, codeDigest: "code", name: "till",
                    publicKey: "key", tokenExpiresAt: 500), at: 50)
            try await push([days.opened()], to: ledger)
            try await trade(&days, on: ledger)
            // Part of it is in the sums, the rest is added by the reader.
            if seed == 1 { _ = try await ledger.foldSales() }
            try await trade(&days, on: ledger)
            try await push([days.closed()], to: ledger)
        }
        let (byDay, byTender) = (days.byDay.filter { $0.value != 0 }, days.byTender.filter { $0.value != 0 })
        for dimension in SalesDimension.allCases {
            let rows = try await hub.json("sales", "--by", dimension.rawValue)["rows"]?.array ?? []
            func net(_ key: String?) -> [String: Int64] {
                Self.sums(
                    rows.map { row in
                        let name = key.flatMap { row["key"]?[$0]?.string }.map { $0 + " " } ?? ""
                        return (name + (row["currency"]?.string ?? ""), row["net"]?.integer ?? 0)
                    })
            }
            let byCurrency = Self.sums(byDay.map { (String($0.key.suffix(3)), $0.value) })
            #expect(net(nil) == byCurrency, "\(dimension)")
            #expect(rows.reduce(0) { $0 + ($1["tax"]?.integer ?? 0) } == days.tax, "\(dimension)")
            if dimension == .day { #expect(net("day") == byDay) }
            if dimension == .tender { #expect(net("method") == byTender) }
        }
        try await journal(hub, days, byDay, byTender)
        try await exports(hub, days, byDay, byTender)
        let audit = try await hub.json("audit")
        let audited = (audit["terminals"]?.array ?? []).flatMap { $0["net"]?.array ?? [] }
        #expect(
            Self.sums(audited.map { ($0["currency"]?.string ?? "", $0["amount"]?.integer ?? 0) })
                == Self.sums(byDay.map { (String($0.key.suffix(3)), $0.value) }))
    }

    private func journal(
        _ hub: HubCommands, _ days: DrawnDays, _ byDay: [String: Int64], _ byTender: [String: Int64]
    ) async throws {
        let lines = await hub.run("journal", "export").output
        let documents = try lines.map { try JSONParser.parse($0.utf8) }
        var (nets, tenders): ([(String, Int64)], [(String, Int64)]) = ([], [])
        var owed: [String: Int64] = [:]
        for document in documents {
            let (content, currency) = (document["document"], document["currency"]?.string ?? "")
            switch document["type"]?.string {
            case "cash", "shift": break
            case "debt": owed[document["id"]?.string ?? ""] = content?["amount"]?.integer
            case "debtSettled":
                owed[content?["debtId"]?.string ?? "", default: 0] -= content?["amount"]?.integer ?? 0
            case let type?:
                let sign: Int64 = type == "order" ? 1 : -1
                nets.append(
                    (
                        "\(document["businessDay"]?.string ?? "") \(currency)",
                        sign * (content?["total"]?.integer ?? 0)
                    ))
                for payment in content?["payments"]?.array ?? [] {
                    let name = "\(payment["method"]?.string ?? "") \(currency)"
                    tenders.append((name, sign * (payment["amount"]?.integer ?? 0)))
                }
                let gone = (content?["change"]?.integer ?? 0) + (content?["cashRounding"]?.integer ?? 0)
                tenders.append(("cash \(currency)", -sign * gone))
            case nil: Issue.record("a document has no type")
            }
        }
        #expect(Self.sums(nets) == byDay)
        #expect(Self.sums(tenders) == byTender)
        try closing(documents)
        #expect(documents.contains { $0["document"]?["replaces"]?.string != nil } || days.sold.count < 20)
        let debts = try await hub.json("debts", "list", "--limit", "1000")["debts"]?.array ?? []
        let left = Self.sums(debts.map { ($0["id"]?.string ?? "", $0["amount"]?.integer ?? 0) })
        #expect(left == owed.filter { $0.value != 0 })
        #expect(documents.contains { $0["type"] == "debtSettled" })
    }

    /// The Z report against the documents of its shift: sales, refunds and voids, and what each tender came to.
    private func closing(_ documents: [JSONValue]) throws {
        let closing = try #require(documents.first { $0["type"] == "shift" })
        let sums = try ShiftClosing(json: try #require(closing["document"])).sums
        var (counts, tenders): ([String: ShiftSums.Count], [(String, Int64)]) = ([:], [])
        for document in documents where document["shiftId"] == closing["shiftId"] {
            guard let type = document["type"]?.string, ["order", "refund", "void"].contains(type) else {
                continue
            }
            let (content, sign) = (document["document"], type == "order" ? 1 : -1 as Int64)
            counts[type, default: .init()].count += 1
            counts[type, default: .init()].total += content?["total"]?.integer ?? 0
            for payment in content?["payments"]?.array ?? [] {
                tenders.append(
                    (payment["method"]?.string ?? "", sign * (payment["amount"]?.integer ?? 0)))
            }
            tenders.append(("cash", -sign * (content?["change"]?.integer ?? 0)))
        }
        #expect(counts == ["order": sums.sales, "refund": sums.refunds, "void": sums.voids])
        #expect(Self.sums(tenders) == Self.sums(sums.tenders.map { ($0.method, $0.amount) }))
    }

    private func exports(
        _ hub: HubCommands, _ days: DrawnDays, _ byDay: [String: Int64], _ byTender: [String: Int64]
    ) async throws {
        let (orders, payments) = (hub.folder.path("orders"), hub.folder.path("payments"))
        for format in ["json", "csv", "poslog"] {
            let end = await hub.run(
                "orders", "export", "--format", format, "--output", orders, "--payments-output", payments)
            #expect(end.exitCode == 0, "\(end.errors)")
            let text = try String(contentsOfFile: orders, encoding: .utf8)
            switch format {
            case "json":
                let rows = try JSONParser.parse(text.utf8)["orders"]?.array ?? []
                let nets = rows.map { row in
                    let name = "\(row["businessDay"]?.string ?? "") \(row["currency"]?.string ?? "")"
                    return (name, row["total"]?.integer ?? 0)
                }
                #expect(Self.sums(nets) == byDay)
                #expect(rows.reduce(0) { $0 + ($1["tax"]?.integer ?? 0) } == days.tax)
                #expect(rows.allSatisfy { $0["soldAt"]?.string?.hasPrefix("2026-11-21T09:00") == true })
            case "csv":
                let rows = text.split(separator: "\r\n").map {
                    $0.split(separator: ",", omittingEmptySubsequences: false)
                }
                let head = try #require(rows.first)
                let place = Dictionary(uniqueKeysWithValues: head.enumerated().map { ($1, $0) })
                func cell(_ row: [Substring], _ name: Substring) throws -> Substring {
                    row[try #require(place[name])]
                }
                let nets = try rows.dropFirst().map { row in
                    let name = "\(try cell(row, "business_day")) \(try cell(row, "currency"))"
                    return (name, Int64(try cell(row, "line_total")) ?? 0)
                }
                #expect(Self.sums(nets) == byDay)
            case _:
                #expect(text.contains("<TenderChange>") && text.contains("<Return>"))
            }
            let rows = try String(contentsOfFile: payments, encoding: .utf8).split(separator: "\r\n")
                .dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false) }
            let byMethod = rows.reduce(into: [Substring: Int64]()) { sums, row in
                let numbers = row[4...6].compactMap { Int64($0) }
                sums[row[2], default: 0] += numbers[0] - numbers[1] - numbers[2]
            }.filter { $0.value != 0 }
            let expected = Self.sums(byTender.map { (String($0.key.dropLast(4)), $0.value) })
            #expect(Dictionary(uniqueKeysWithValues: byMethod.map { (String($0), $1) }) == expected)
        }
    }
}
