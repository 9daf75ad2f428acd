import Foundation
import GRDB
import HubProtocol
import TestKit
import Testing

/// A shop whose hub takes its decisions on cards from the reference gateway, and the comparison of what moved
/// there with the till's journal and the hub.
final class CardShop {
    let shop: ShopUnderTest
    let gateway: ReferenceGateway
    /// Arguments of `pos-hub serve` with which the gateway decides.
    let served: [String]
    /// Orders that a command of the till reported as sold.
    private(set) var sold: Set<String> = []
    private let configuration: TemporaryFolder

    /// - Parameters:
    ///   - store: as `--store` takes it; nil: SQLite in the shop's folder.
    ///   - timeout: how long the hub waits for the gateway, in seconds.
    ///   - serving: what follows `pos-hub serve` at first; nil: the gateway decides.
    init(
        on store: String?, _ way: ShopUnderTest.Way = [], timeout: Int, serving: [String]? = nil,
        settings: ShopSettings, currency: String = Article.currency
    ) throws {
        gateway = try ReferenceGateway()
        configuration = try TemporaryFolder()
        let file = configuration.path("hub.json")
        let keys: JSONValue = [
            "gateway": ["url": .string(gateway.url), "timeoutSeconds": .integer(Int64(timeout))]
        ]
        try keys.canonicalText.write(toFile: file, atomically: true, encoding: .utf8)
        served = ["--config", file, "--payments", "http"]
        shop = try ShopUnderTest(
            way, serving: serving ?? served, settings: settings, store: store,
            currency: currency)
    }

    /// What a command of the till reported: a sale that exists from now on.
    func note(_ sale: JSONValue) {
        if let order = sale["orderId"]?.string { sold.insert(order) }
    }

    /// Waits until the till takes cards by the hub's decisions.
    func waitForCards() throws {
        try shop.waitUntil("cards that the hub decides on", within: 30) {
            $0["capabilities"]?["payment.card"]?["route"] == "online"
        }
    }

    /// Brings both back, lets everything drain, and waits until the hub has brought all to the gateway; then
    /// compares.
    func settle(_ comment: Comment = "") throws {
        shop.killHub()
        try shop.startHub()
        if shop.agent == nil { try shop.startAgent() }
        try shop.waitUntilDrained(within: 60)
        try shop.waitUntil("a gateway that has everything", within: 60) { _ in try openCalls() == 0 }
        let differences = try differences()
        #expect(differences == [], comment)
    }

    /// What the hub has still to bring to the gateway.
    private func openCalls() throws -> Int {
        let undecided = "SELECT key FROM payments WHERE state IN ('unknown', 'storedOffline')"
        return try hubRows("SELECT call_key FROM payment_calls").count + hubRows(undecided).count
    }

    /// The rows of a query for one text on the hub's database.
    private func hubRows(_ query: String) throws -> [String] {
        if let store = shop.store {
            return try PostgresServer.shared.get().sql(query, on: store).split(separator: "\n").map(
                String.init)
        }
        var configuration = Configuration()
        configuration.readonly = true
        let database = try DatabaseQueue(
            path: shop.folder.path("hub.sqlite"), configuration: configuration)
        return try database.read { try String.fetchAll($0, sql: query) }
    }

    /// Where gateway, journal and hub differ.
    private func differences() throws -> [String] {
        let (book, journal) = (gateway.book, try journal())
        var found = book.objections
        var states: [String: String] = [:]
        for row in try hubRows("SELECT key || ' ' || state || ' ' || refunded FROM payments") {
            let parts = row.split(separator: " ", maxSplits: 1).map(String.init)
            states[parts[0]] = parts[1]
        }
        for (key, account) in book.accounts where journal.paid[key] == nil {
            if account.charged != 0 || account.isReserved { found.append("\(key) has no sale: \(account)") }
        }
        for (key, payment) in journal.paid {
            let account = book.accounts[key]
            let wanted = payment.expected(by: account)
            if account.map({ $0.charged == wanted.charged && !$0.isReserved }) != true {
                found.append("\(key) of \(payment): \(String(describing: account))")
            }
            if states[key] != wanted.state {
                found.append("\(key) of \(payment) at the hub: \(states[key] ?? "nothing")")
            }
        }
        for order in sold.subtracting(journal.orders) {
            found.append("\(order) was reported and is not there")
        }
        let audit = try shop.audit()
        if audit.orders != Int64(journal.orders.count) || !audit.isComplete {
            found.append("\(journal.orders.count) orders; the hub: \(audit.json.canonicalText)")
        }
        return found
    }

    private func journal() throws -> CardJournal {
        let file = shop.folder.path("journal.jsonl")
        try? FileManager.default.removeItem(atPath: file)
        _ = try shop.document("sync", "export", file, "--plain", "--reason", "a test")
        // The first line is the heading, the last one the end.
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        return CardJournal(
            try lines.dropFirst().dropLast().map { try Mutation(json: JSONParser.parse($0.utf8)) })
    }
}

/// What a till's journal has about cards.
private struct CardJournal {
    struct Payment {
        let amount: Int64
        var isVoided = false
        var refunded: Int64 = 0

        /// What the gateway has to have taken, and the hub's state with what was given back.
        func expected(by account: GatewayBook.Account?) -> (charged: Int64, state: String) {
            if isVoided { return (0, "voided 0") }
            // Only a token that was taken without the gateway is declined after its sale: a debt.
            if account?.isDeclined == true { return (0, "forwardDeclined \(refunded)") }
            return (
                amount - refunded, (refunded == amount ? "refunded" : "captured") + " \(refunded)"
            )
        }
    }

    private(set) var orders: Set<String> = []
    private(set) var paid: [String: Payment] = [:]

    init(_ entries: [Mutation]) {
        for entry in entries {
            let payments = (entry.payload["payments"]?.array ?? []).compactMap { payment in
                payment["authorizationKey"]?.string.map { ($0, payment["amount"]?.integer ?? 0) }
            }
            switch entry.type {
            case "order.completed":
                orders.insert(entry.entityId)
                for (key, amount) in payments { paid[key] = Payment(amount: amount) }
            case "refund.completed":
                for (key, amount) in payments { paid[key]?.refunded += amount }
            case "payment.voided": paid[entry.entityId]?.isVoided = true
            case _: break
            }
        }
    }
}
