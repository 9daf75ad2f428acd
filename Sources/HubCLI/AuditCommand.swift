internal import ArgumentParser
internal import HubProtocol
internal import HubServer

/// `pos-hub audit`: what was sold, what was received, and whether anything is missing in between.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Check the journals of the tills link by link.")

    @OptionGroup var options: StoreOptions

    @Option(help: "One terminal's id. Default: all.")
    var terminal: String?

    func run() async throws {
        let answer = try await HubAccess(configuration: options.configuration())
            .perform(.audit(terminal: terminal))
        try options.show(answer) { answer in
            (answer["terminals"]?.array ?? []).map(Self.words).joined(separator: "\n")
        }
    }

    /// Money that was taken and is not in the total; nothing when there is none.
    private static func sum(_ terminal: JSONValue, _ key: String) -> String {
        guard let orders = terminal[key]?["orders"]?.integer, orders > 0 else { return "" }
        return "  \(key) \(orders) orders, \(terminal[key]?["amount"]?.integer ?? 0)"
    }

    private static func words(_ terminal: JSONValue) -> String {
        func number(_ key: String) -> Int64 { terminal[key]?.integer ?? 0 }
        let missing = terminal["missing"]?.array?.count ?? 0
        let total = terminal["total"]
        return "\(terminal["terminalId"]?.string ?? "")  received \(number("received"))  "
            + "rejected \(number("rejected"))  gap \(missing)  chain \(terminal["chain"]?.string ?? "")  "
            + "orders \(number("orders"))  "
            + "total \(total?["amount"]?.integer ?? 0) \(total?["currency"]?.string ?? "")"
            + sum(terminal, "refused") + sum(terminal, "discarded")
    }
}
