internal import AgentAPI
internal import ArgumentParser
internal import HubProtocol
internal import Agent

/// `pos qos status`.
struct QoSCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "qos", abstract: "The hub's decision on each service, and this terminal's state of it.",
        subcommands: [Status.self], defaultSubcommand: Status.self)

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Shows the services.")

        @OptionGroup var options: HomeOptions
        @Flag(help: "One JSON object on standard output.") var json = false
        @Flag(help: "Keeps running and shows each change, until Control-C.") var watch = false

        func run() async throws {
            try await options.withAgent { connection in
                try await show(ServicesCall(), on: connection, json: json, render: OperationText.services)
                guard watch else { return }
                Output.endWithReader()
                for await _ in connection.watchStatus() {
                    try await show(ServicesCall(), on: connection, json: json, render: OperationText.services)
                }
            }
        }
    }
}
