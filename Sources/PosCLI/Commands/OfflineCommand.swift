internal import ArgumentParser
internal import HubProtocol
internal import Terminal

/// `pos offline on|off`: answered when the flag is durable.
struct OfflineCommand: AsyncParsableCommand {
    enum Switch: String, ExpressibleByArgument, CaseIterable {
        case on
        case off
    }

    static let configuration = CommandConfiguration(
        commandName: "offline", abstract: "Switches the terminal offline by hand, or back.")

    @OptionGroup var options: HomeOptions
    @Argument(help: "on or off.") var position: Switch
    @Option(help: "Why; shown until it is switched back.") var reason: String?
    @OptionGroup var person: PersonOptions
    @Flag(help: "One JSON object on standard output.") var json = false

    func run() async throws {
        let body = try person.body([
            "on": .bool(position == .on), "reason": JSONValue(reason), "by": JSONValue(person.cashier),
        ])
        try await options.withAgent { connection in
            try await show(
                AgentRequest("POST", AgentRoutes.manual, body: body), on: connection, json: json
            ) { manual in
                manual["on"]?.bool == true
                    ? "offline by hand since \(manual["since"]?.string ?? "now"); `pos offline off` ends it"
                    : "the manual switch is off"
            }
        }
    }
}
