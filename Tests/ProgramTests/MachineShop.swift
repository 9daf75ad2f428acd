import Foundation
import HubProtocol
import TestKit
import Testing

/// A payment terminal of `pos-lab card-machine` as a process, with a file of what it booked.
final class CardTerminal {
    enum Kind: String {
        case zvt, nexo
    }

    let kind: Kind
    let folder: String
    private(set) var port = "0"
    /// Bookings before what is being disturbed.
    var bookedBefore = 0
    private let fixed: [String]
    private let wrapper: [String]
    private var program: ProgramUnderTest?

    /// - Parameters:
    ///   - fixed: options of every start.
    ///   - wrapper: what is started before it, `ip netns exec NAME` for example.
    init(
        _ kind: Kind, in folder: String, _ options: [String] = [], fixed: [String] = [],
        behind wrapper: [String] = []
    ) throws {
        (self.kind, self.folder, self.fixed, self.wrapper) = (kind, folder, fixed, wrapper)
        try start(options)
    }

    func stop() {
        program?.kill()
        program = nil
    }

    func start(_ options: [String] = []) throws {
        stop()
        let next = try ProgramUnderTest(
            "pos-lab",
            [
                "card-machine", "--kind", kind.rawValue, "--port", port, "--journal",
                folder + "/terminal.jsonl",
            ]
                + (kind == .zvt ? ["--currency", "156"] : []) + fixed + options, behind: wrapper)
        port = String(try next.line(startingWith: "listening on ").split(separator: ":").last ?? "")
        program = next
    }

    /// Amounts that were booked, in minor units, those that went back below zero.
    func booked() throws -> [Int64] {
        try String(contentsOfFile: folder + "/terminal.jsonl", encoding: .utf8).split(separator: "\n")
            .compactMap { line in
                let entry = try JSONParser.parse(line.utf8)
                guard let kind = entry["kind"]?.string, !["reconciliation", "endOfDay"].contains(kind),
                    let amount = amount(entry["amount"])
                else { return nil }
                return kind == "sale" ? amount : -amount
            }
    }

    /// A terminal of nexo writes whole units, one of ZVT minor ones.
    private func amount(_ json: JSONValue?) -> Int64? {
        switch (json, kind) {
        case (.integer(let number), .zvt): number
        case (.integer(let number), .nexo): number * 100
        case (.double(let number), .nexo): Int64((number * 100).rounded())
        case _: nil
        }
    }

    var held: Int64 { get throws { try booked().reduce(0, +) } }
}

/// A shop whose till takes every card by such a terminal.
struct MachineShop {
    static let poi = "S1F2-000611220400123"
    static let tea = Article.assortment[0].barcode
    static let price: Int64 = 1250

    /// - Parameters:
    ///   - options: of the terminal's first start.
    ///   - fixed: of every start.
    static func open(
        _ kind: CardTerminal.Kind, _ options: [String] = [], fixed: [String] = [], scheme: String? = nil,
        _ settings: [String: String] = [:]
    ) throws -> (ShopUnderTest, CardTerminal, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let terminal = try CardTerminal(kind, in: folder.url.path, options, fixed: fixed)
        let place = "127.0.0.1:\(terminal.port)"
        var machine = ["POS_CARD_MACHINE_KIND": kind.rawValue]
        switch kind {
        case .zvt: machine["POS_CARD_MACHINE_ADDRESS"] = "tcp:\(place)"
        case .nexo:
            machine["POS_CARD_MACHINE_ADDRESS"] = "\(scheme ?? "http")://\(place)/nexo"
            machine["POS_CARD_MACHINE_POI_ID"] = poi
        }
        let shop = try ShopUnderTest(
            [], settings: .hurried.with(machine.merging(settings) { _, new in new }))
        try shop.startAgent()
        try shop.waitUntilReachable()
        _ = try shop.document("sync", "now")
        return (shop, terminal, folder)
    }
}

extension ShopUnderTest {
    func sellTeaByCard(_ more: String...) throws -> FinishedProgram {
        try pos(["sell", "--line", MachineShop.tea, "--pay", "card", "--json"] + more)
    }

    /// What is not finished at the card machine.
    func waitingAtMachine() throws -> [JSONValue] {
        try document("card", "status")["waiting"]?.array ?? []
    }

    /// The caller leaves while the shopper looks for the card: the machine's abort is sent, and it ends with
    /// nothing charged.
    func abortAtMachine() throws {
        let sale = try startProgram("sell", "--line", MachineShop.tea, "--pay", "card", "--json")
        _ = try waitUntil("the payment is at the machine", within: 20) { _ in
            try waitingAtMachine().first?["state"] == "sent"
        }
        sale.signal(SIGINT)
        _ = sale.exitCode(within: 15)
        _ = try waitUntil("the machine ended it", within: 20) { _ in try waitingAtMachine().isEmpty }
    }

    /// The open payment, decided with the machine's paper.
    func decideNotCharged() throws {
        let key = try #require(try waitingAtMachine().first?["key"]?.string)
        _ = try document("card", "decide", key, "not-charged", "--reason", "no paper")
    }

    /// What the machine refused to give back, and so holds beside what was sold.
    func owedToCards() throws -> Int64 {
        let returns = try document("orders", "owed")["returns"]?.array ?? []
        return returns.filter { $0["state"] == "refused" }.reduce(0) { sum, entry in
            sum + (entry["amount"]?["amount"]?.integer ?? 0)
        }
    }

    /// Ends the machine's day and the till's: machine, till and hub have the same, to the cent.
    ///
    /// - Parameter cash: in the drawer.
    func endDay(_ terminal: CardTerminal, cash: Int64 = 0) throws {
        let (held, owed) = (try terminal.held, try owedToCards())
        let closed = try document("card", "close-day")
        #expect(closed["machine"]?.integer == held && closed["till"]?.integer == held, "\(closed)")
        let shift = try document("shift", "close", "--counted", "\(cash)")
        try waitUntilDrained()
        let id = try #require(shift["shiftId"]?.string)
        _ = try waitUntil("the hub compared the shift", within: 20) { _ in
            try posHub("shifts", "show", id)["state"] == "confirmed"
        }
        for document in [shift, try posHub("shifts", "show", id)] {
            let card = document["tenders"]?.array?.first { $0["method"] == "card" }
            #expect(card?["amount"]?.integer == held - owed, "\(document)")
            #expect(document["cardDays"]?.array?.map { $0["machine"]?.integer } == [held], "\(document)")
        }
    }
}

/// What till and machine have of each other.
extension ShopUnderTest {
    /// Until nothing is open but what a machine of nexo only took on. What nobody can know a person decides
    /// by the terminal's paper.
    func settleMachine(_ terminal: CardTerminal, _ what: String) throws {
        _ = try waitUntil("nothing is open behind \(what)", within: 60) { _ in
            let open = try waitingAtMachine().filter {
                !["refundRequested", "voidRequested"].contains($0["state"]?.string)
            }
            if let lost = open.first(where: { $0["state"] == "unknown" }), let key = lost["key"]?.string,
                try terminal.booked().count == terminal.bookedBefore
            {
                _ = try pos("card", "decide", key, "not-charged", "--reason", "no paper", "--json")
            }
            for cart in try document("cart", "list")["carts"]?.array ?? [] {
                _ = try pos("cart", "drop", cart["cartId"]?.string ?? "", "--reason", "left", "--json")
            }
            let waiting = try document("orders", "owed")["returns"]?.array ?? []
            return try open.isEmpty && !waiting.contains { $0["state"] == "waiting" }
                && terminal.held == heldByTill()
        }
    }

    /// What the machine has to hold by what the till has: sales less what went back, and what the shop owes.
    func heldByTill() throws -> Int64 {
        let sold = try orders().filter { $0["voidedAt"] == nil || $0["voidedAt"] == .null }
            .reduce(Int64(0)) { sum, order in
                sum + (order["total"]?["amount"]?.integer ?? 0) - (order["refunded"]?["amount"]?.integer ?? 0)
            }
        return try sold + owedToCards()
    }
}
