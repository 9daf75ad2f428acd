import Foundation
import HubCore
import HubProtocol
import HubStore
import HubStoreSQLite
import TestKit
import Testing

@testable import HubCLI
@testable import HubStorePostgres

/// What the hub shows of one thing in different places.
@Suite("Every view comes to the same")
struct EveryViewTests {
    private typealias Row = (name: String, amount: Int64)

    private func ledger(_ place: String, _ kind: HubStoreKind) throws -> any Ledger {
        switch kind {
        case .sqlite: try SQLiteLedger(path: String(place.trimmingPrefix("sqlite:")))
        // Beside hundreds of other tests on few cores a database may take its time.
        case .postgresql: try PostgresLedger(url: place, budget: PushBudget(), longest: .seconds(60))
        }
    }

    private func push(
        _ mutations: [Mutation], to ledger: any Ledger, at moment: Int64 = DrawnDays.receivedAt
    ) async throws {
        var limits = IntakeLimits()
        limits.pointsAdjustedPerDay = 1_000
        let request = IntakeRequest(
            device: DrawnDays.device, epoch: nil, lowSequence: nil,
            mutations: try mutations.map { try ReceivedMutation(json: $0.json) }, receivedAt: moment,
            limits: limits)
        guard case .results(let response) = try await ledger.ingest(request) else {
            throw CommandFailure.usage("refused")
        }
        let refused = response.results.filter { $0.outcome != .applied }
        #expect(refused.count <= mutations.count / 2, "\(refused)")
        for result in response.results where result.outcome == .applied {
            let flags = result.json["flags"]?.array?.compactMap(\.string) ?? []
            #expect(!flags.contains("payment_differs") || flags.contains("amounts_differ"), "\(flags)")
        }
    }

    /// Trades for some days, with cards that are refused before and after their goods came back.
    private func trade(_ days: inout DrawnDays, on ledger: any Ledger) async throws {
        for _ in 0..<40 {
            var mutations = days.sale()
            if days.number(0...1) == 0, let reversal = days.reversal() { mutations.append(reversal) }
            if days.number(0...5) == 0 { mutations.append(days.cashMove()) }
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

    /// Countersigns the closed shift, by a signature that nobody looks at here.
    private func countersign(on ledger: any Ledger) async throws {
        let comparing = ShiftComparing(ledger)
        for shift in try await comparing.ready() {
            let parts = try #require(try await comparing.parts(of: shift))
            var compared = try await comparing.compared(shift, in: parts, at: 7)
            for place in compared.indices {
                (compared[place].statement.keyId, compared[place].statement.signature) = ("k", "c2ln")
            }
            let settlement = try await comparing.settle(shift, with: compared, at: 7)
            #expect(settlement.state == .confirmed, "\(settlement)")
        }
    }

    /// A hub that has drawn days.
    private func traded(
        _ days: inout DrawnDays, _ kind: HubStoreKind, folding: Bool
    ) async throws -> HubCommands {
        let hub = try HubCommands(on: kind)
        // A hub has its keys before its first till.
        _ = await hub.run("enrol-code", "--store-id", "S1")
        let ledger = try ledger(hub.store, kind)
        defer { (ledger as? SQLiteLedger)?.close() }
        try await ledger.keepEnrolmentCodes(["code"], storeId: "S1", expiresAt: 100)
        _ = try await ledger.enrol(
            EnrolmentApplicant(
                terminalId: DrawnDays.device.terminalId, codeDigest: "code", name: "till",
                publicKey: "key", tokenExpiresAt: 500), at: 50)
        _ = try await ledger.changeStoreSettings(
            ["points.earnEveryMinor": .integer(DrawnDays.earnEvery), "points.valueMinor": 1], of: "S1", at: 1)
        for (mutation, moment) in days.weekBefore() { try await push([mutation], to: ledger, at: moment) }
        try await push([days.opened()], to: ledger)
        try await trade(&days, on: ledger)
        try await push([days.largeSale()], to: ledger)
        // Part of it is in the sums, the rest is added by the reader.
        if folding { _ = try await ledger.foldSales() }
        try await trade(&days, on: ledger)
        try await push([days.closed()], to: ledger)
        try await countersign(on: ledger)
        let held = HeldPoints(terminalId: DrawnDays.device.terminalId, since: 0)
        #expect(try await ledger.releaseHeldPoints(held, at: DrawnDays.receivedAt + 1).sales.count == 1)
        return hub
    }

    private static func sums(_ rows: [Row]) -> [String: Int64] {
        rows.reduce(into: [:]) { $0[$1.name, default: 0] += $1.amount }.filter { $0.value != 0 }
    }

    @Test(
        "Journal, figures, listings, exports, pages, audit and debts of drawn days agree with the tills to the cent",
        arguments: HubStoreKind.all, [1, 2, 3] as [UInt64])
    func agree(_ kind: HubStoreKind, _ seed: UInt64) async throws {
        var days = DrawnDays(seed: seed)
        let hub = try await traded(&days, kind, folding: seed == 1)
        let expected = days.figures
        try await sales(hub, expected)
        let documents = try await hub.run("journal", "export").output.map { try JSONParser.parse($0.utf8) }
        try journal(documents, days, expected)
        try closing(documents)
        try await debts(hub, documents)
        try await points(hub, kind, documents)
        try await orders(hub, days, expected)
        try await payments(hub, days, expected)
        let audit = try await hub.json("audit")
        let audited = (audit["terminals"]?.array ?? []).flatMap { $0["net"]?.array ?? [] }
        #expect(
            Self.sums(audited.map { ($0["currency"]?.string ?? "", $0["amount"]?.integer ?? 0) })
                == expected.byCurrency)
        #expect(audit["terminals"]?.array?.allSatisfy { $0["sums"] == "intact" } == true)
        try await pages(hub, days, expected)
    }

    private func sales(_ hub: HubCommands, _ expected: DrawnDays.Figures) async throws {
        for dimension in SalesDimension.allCases {
            let rows = try await hub.json("sales", "--by", dimension.rawValue)["rows"]?.array ?? []
            func sum(_ figure: String, _ key: String? = nil) -> [String: Int64] {
                Self.sums(
                    rows.map { row in
                        let name = key.map { (row["key"]?[$0]?.string ?? "") + " " } ?? ""
                        return (name + (row["currency"]?.string ?? ""), row[figure]?.integer ?? 0)
                    })
            }
            #expect(sum("net") == expected.byCurrency, "\(dimension)")
            #expect(sum("discounts") == expected.discounts, "\(dimension)")
            #expect(rows.reduce(0) { $0 + ($1["tax"]?.integer ?? 0) } == expected.tax, "\(dimension)")
            if dimension == .day { #expect(sum("net", "day") == expected.byDay) }
            if dimension == .tender { #expect(sum("net", "method") == expected.byTender) }
        }
    }

    /// 1 for what was sold, -1 for what came back, nil for other documents.
    private static func sign(of document: JSONValue) -> Int64? {
        switch document["type"]?.string {
        case "order": 1
        case "void", "refund": -1
        case _: nil
        }
    }

    private static func differs(_ document: JSONValue) -> Bool {
        document["document"]?["flags"]?.array?.contains("amounts_differ") == true
    }

    private static func counted(_ payment: JSONValue) -> String {
        payment["kind"] == "cash" ? "cash" : payment["method"]?.string ?? ""
    }

    private func journal(
        _ documents: [JSONValue], _ days: DrawnDays, _ expected: DrawnDays.Figures
    ) throws {
        var (nets, tenders): ([Row], [Row]) = ([], [])
        for document in documents {
            guard let sign = Self.sign(of: document) else { continue }
            let (content, currency) = (document["document"], document["currency"]?.string ?? "")
            nets.append(
                (
                    "\(document["businessDay"]?.string ?? "") \(currency)",
                    sign * (content?["total"]?.integer ?? 0)
                ))
            if Self.differs(document) {
                tenders.append((" \(currency)", sign * (content?["total"]?.integer ?? 0)))
                continue
            }
            for payment in content?["payments"]?.array ?? [] {
                tenders.append(
                    ("\(Self.counted(payment)) \(currency)", sign * (payment["amount"]?.integer ?? 0)))
            }
            let gone = (content?["change"]?.integer ?? 0) + (content?["cashRounding"]?.integer ?? 0)
            tenders.append(("cash \(currency)", -sign * gone))
        }
        #expect(Self.sums(nets) == expected.byDay)
        #expect(Self.sums(tenders) == expected.byTender)
        let differing = documents.filter { $0["type"] == "order" && Self.differs($0) }
            .map { $0["id"]?.string }
        #expect(differing == days.sold.filter(\.differs).map(\.mutation.id) && !differing.isEmpty)
        let types = Set(documents.compactMap { $0["type"]?.string })
        #expect(types == Set(JournalDocument.Kind.allCases.map(\.rawValue)))
        let lines = documents.flatMap { $0["document"]?["lines"]?.array ?? [] }
        #expect(
            lines.contains { $0["offers"]?.array?.contains { $0["coupon"]?.string != nil } == true })
        #expect(documents.contains { $0["document"]?["replaces"]?.string != nil } || days.sold.count < 20)
        // What came later names a document that is there.
        let flag = try #require(documents.first { $0["type"] == "flag" })["document"]
        let subject = documents.first { $0["id"] == flag?["subject"] }?["document"]
        #expect(flag?["set"] == false && subject?["flags"]?.array?.contains("points_held") == true)
    }

    /// The Z report against the documents of its shift: sales, refunds and voids, the drawer, and what each
    /// tender came to.
    private func closing(_ documents: [JSONValue]) throws {
        let closing = try #require(documents.first { $0["type"] == "shift" })
        let report = try ShiftClosing(json: try #require(closing["document"]))
        let statement = try #require(documents.first { $0["type"] == "statement" })["document"]
        #expect(try ShiftStatement(json: try #require(statement)).sums == report.sums)
        var (counts, tenders): ([String: ShiftSums.Count], [Row]) = ([:], [])
        var drawer: [Row] = []
        for document in documents where document["shiftId"] == closing["shiftId"] {
            let content = document["document"]
            if document["type"] == "cash" {
                drawer.append((content?["kind"]?.string ?? "", content?["amount"]?.integer ?? 0))
            }
            guard let type = document["type"]?.string, let sign = Self.sign(of: document) else { continue }
            counts[type, default: .init()].count += 1
            counts[type, default: .init()].total += content?["total"]?.integer ?? 0
            for payment in content?["payments"]?.array ?? [] {
                tenders.append((Self.counted(payment), sign * (payment["amount"]?.integer ?? 0)))
            }
            tenders.append(("cash", -sign * (content?["change"]?.integer ?? 0)))
        }
        let sums = report.sums
        #expect(counts == ["order": sums.sales, "refund": sums.refunds, "void": sums.voids])
        #expect(Self.sums(tenders) == Self.sums(sums.tenders.map { ($0.method, $0.amount) }))
        #expect(
            Self.sums(drawer)
                == Self.sums(
                    [("float", report.opening.float)]
                        + CashMove.Kind.allCases.filter(\.hasAmount).map { ($0.rawValue, sums.cashMoves[$0]) }
                ))
        let cash = Self.sums(tenders)["cash"] ?? 0
        let moved = drawer.reduce(0) { $0 + (["out", "drop"].contains($1.name) ? -$1.amount : $1.amount) }
        #expect(report.cash.expected == cash + moved)
    }

    private func debts(_ hub: HubCommands, _ documents: [JSONValue]) async throws {
        let owed = Self.sums(
            documents.compactMap { document in
                let content = document["document"]
                let amount = content?["amount"]?.integer ?? 0
                switch document["type"]?.string {
                case "debt": return (document["id"]?.string ?? "", amount)
                case "debtSettled": return (content?["debtId"]?.string ?? "", -amount)
                case _: return nil
                }
            })
        let debts = try await hub.json("debts", "list", "--limit", "1000")["debts"]?.array ?? []
        #expect(
            Self.sums(debts.map { ($0["id"]?.string ?? "", $0["amount"]?.integer ?? 0) }) == owed)
        #expect(!owed.isEmpty)
    }

    /// A member's balance is the sum of what the documents say.
    private func points(_ hub: HubCommands, _ kind: HubStoreKind, _ documents: [JSONValue]) async throws {
        var balance: Int64 = 0
        for document in documents {
            let content = document["document"]
            // A closed shift has points, too: those of its sales.
            let moved = Self.sign(of: document) == nil ? nil : content?["points"]
            func points(_ name: String) -> Int64 { moved?[name]?.integer ?? 0 }
            balance += points("earned") - points("spent") + points("spentReturned") - points("earnedReturned")
            if document["type"] == "points" { balance += content?["delta"]?.integer ?? 0 }
        }
        let ledger = try ledger(hub.store, kind)
        defer { (ledger as? SQLiteLedger)?.close() }
        let key = EntityKey("member", DrawnDays.member)
        let kept = try await ledger.entities([key])[key]?["points"]?.integer
        #expect(kept == balance)
    }

    private func orders(
        _ hub: HubCommands, _ days: DrawnDays, _ expected: DrawnDays.Figures
    ) async throws {
        let file = hub.folder.path("orders")
        for format in ["json", "csv", "poslog"] {
            let end = await hub.run("orders", "export", "--format", format, "--output", file)
            #expect(end.exitCode == 0, "\(end.errors)")
            let text = try String(contentsOfFile: file, encoding: .utf8)
            switch format {
            case "json":
                let rows = try JSONParser.parse(text.utf8)["orders"]?.array ?? []
                let nets = rows.map { row in
                    let name = "\(row["businessDay"]?.string ?? "") \(row["currency"]?.string ?? "")"
                    return (name, row["total"]?.integer ?? 0)
                }
                #expect(Self.sums(nets) == expected.byDay)
                #expect(rows.reduce(0) { $0 + ($1["tax"]?.integer ?? 0) } == expected.tax)
                #expect(rows.allSatisfy { $0["soldAt"]?.string?.hasPrefix("2026-11-21T09:00") == true })
            case "csv":
                let rows = try Self.table(text)
                let nets = rows.map { row in
                    ("\(row["business_day"] ?? "") \(row["currency"] ?? "")", Self.number(row["line_total"]))
                }
                #expect(Self.sums(nets) == expected.byDay)
                #expect(rows.reduce(0) { $0 + Self.number($1["line_tax"]) } == expected.tax)
            case _:
                posLog(text, expected)
                if POSLogSchema.isCheckable { try POSLogSchema.check(file) }
            }
        }
    }

    /// Its amounts have the decimals of their currencies.
    private func posLog(_ text: String, _ expected: DrawnDays.Figures) {
        let tender =
            /<Tender><TenderID>(.*?)<\/TenderID><Amount>(.*?)<\/Amount>(?:<TenderChange><Amount>(.*?)<\/Amount>)?/
        var (nets, tenders): ([Row], [Row]) = ([], [])
        var tax: Int64 = 0
        for entry in text.split(separator: "<Transaction ") {
            func value(_ name: String) -> Substring {
                entry.split(separator: "<\(name)>").dropFirst().first?.prefix { $0 != "<" } ?? ""
            }
            func total(_ type: String) -> Int64 {
                DashboardFigures.amount(String(value("Total TotalType=\"Transaction\(type)Amount\"")))
            }
            let currency = value("CurrencyCode")
            guard !currency.isEmpty else { continue }
            nets.append(("\(value("BusinessDayDate")) \(currency)", total("Grand")))
            tax += total("Tax")
            for match in entry.matches(of: tender) {
                let method = match.1 == "coins" ? "cash" : match.1
                let change = match.3.map { DashboardFigures.amount(String($0)) } ?? 0
                tenders.append(("\(method) \(currency)", DashboardFigures.amount(String(match.2)) - change))
            }
            tenders.append(("cash \(currency)", -total("Rounding")))
        }
        #expect(Self.sums(nets) == expected.byDay && tax == expected.tax)
        #expect(Self.sums(tenders) == expected.byTender)
        #expect(text.contains("<TenderChange>") && text.contains("<Return>"))
    }

    /// By the heads of the columns; no cell of these files has a comma.
    private static func table(_ text: String) throws -> [[String: String]] {
        let lines = text.split(separator: "\r\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        let head = try #require(lines.first)
        return lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(head, $0)) }
    }

    private static func number(_ text: String?) -> Int64 { text.flatMap { Int64($0) } ?? 0 }

    private func payments(
        _ hub: HubCommands, _ days: DrawnDays, _ expected: DrawnDays.Figures
    ) async throws {
        let (orders, payments) = (hub.folder.path("orders"), hub.folder.path("payments"))
        let end = await hub.run(
            "orders", "export", "--format", "csv", "--output", orders, "--payments-output", payments)
        #expect(end.exitCode == 0, "\(end.errors)")
        let rows = try Self.table(try String(contentsOfFile: payments, encoding: .utf8))
        func kept(_ row: [String: String]) -> Int64 {
            Self.number(row["amount"]) - Self.number(row["change"]) - Self.number(row["cash_rounding"])
        }
        let byMethod = Self.sums(
            rows.map { row in
                (row["kind"] == "cash" ? "cash" : row["method"] ?? "", kept(row))
            })
        #expect(byMethod == Self.sums(expected.byTender.map { (String($0.key.dropLast(4)), $0.value) }))
        // Of a sale that came back as a whole nothing stays with any tender, by its own name.
        for sale in days.sold where sale.back == .all {
            let own = rows.filter { $0["order_id"] == sale.mutation.payload["orderId"]?.string }
            #expect(Self.sums(own.map { ($0["method"] ?? "", kept($0)) }) == [:], "\(own)")
        }
        #expect(rows.contains { $0["method"] == "coins" && $0["type"] == "refund" })
    }

    /// What a person sees of the same days.
    private func pages(
        _ hub: HubCommands, _ days: DrawnDays, _ expected: DrawnDays.Figures
    ) async throws {
        let listed = try await hub.json("debts", "list", "--limit", "1000")["debts"]?.array ?? []
        let dashboard = try await DashboardFigures(of: hub)
        defer { dashboard.close() }
        let week = (13...19).map { "2026-11-\($0)" }
        var (nets, tenders, stores, sold): ([Row], [Row], [Row], [Row]) = ([], [], [], [])
        var tax: Int64 = 0
        for day in week + DrawnDays.days {
            func row(_ key: String, _ row: [String: String]) -> Row {
                (key + (row["Currency"] ?? ""), DashboardFigures.amount(row["Net"]))
            }
            let total = try await dashboard.table("/sales?day=\(day)&table=total")
            nets += total.map { row("\(day) ", $0) }
            tax += total.reduce(0) { $0 + DashboardFigures.amount($1["Tax in it"]) }
            tenders += try await dashboard.table("/sales?day=\(day)&table=tender").map {
                row(($0["Tender"] ?? "").replacing("–", with: "") + " ", $0)
            }
            stores += try await dashboard.table("/sales?day=\(day)&table=store").map { row("\(day) ", $0) }
            sold += try await dashboard.table("/orders?day=\(day)&table=rows").map { row in
                ("\(day) \(row["Currency"] ?? "")", DashboardFigures.amount(row["Amount"]))
            }
        }
        #expect(Self.sums(nets) == expected.byDay && Self.sums(stores) == expected.byDay)
        #expect(tax == expected.tax)
        #expect(Self.sums(tenders) == expected.byTender)
        #expect(Self.sums(sold) == expected.sold)
        try await shiftPages(of: dashboard, days)
        let debts = try await dashboard.table("/debts?table=rows")
        #expect(
            Self.sums(
                debts.map { ($0["Currency"] ?? "", DashboardFigures.amount($0["Amount"])) })
                == Self.sums(
                    listed.map { ($0["currency"]?.string ?? "", $0["amount"]?.integer ?? 0) }))
    }

    private func shiftPages(of dashboard: DashboardFigures, _ days: DrawnDays) async throws {
        let sums = days.tally.sums
        let shift = try #require(try await dashboard.table("/shifts?table=rows").first)
        #expect(
            DashboardFigures.amount(shift["Cash expected"]) == sums.expectedCash(float: days.opening.float))
        let rows = try await dashboard.rows(of: "/shifts/\(days.opening.shiftId)", headed: "Tender")
        #expect(
            Self.sums(rows.map { ($0.name, DashboardFigures.amount($0.cells[1])) })
                == Self.sums(sums.tenders.map { ($0.method, $0.amount) }))
    }
}
