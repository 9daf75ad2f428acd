internal import AgentAPI
internal import ArgumentParser
internal import HubProtocol
internal import Agent

/// `pos offline on|off`: responded when the flag is durable.
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
        let call = SetManualCall(
            isOn: position == .on, reason: reason, by: person.cashier, person: try person.person())
        try await options.withAgent { connection in
            try await show(call, on: connection, json: json) { manual in
                manual.isOn
                    ? "offline by hand since \(manual.since ?? "now"); `pos offline off` ends it"
                    : "the manual switch is off"
            }
        }
    }
}
