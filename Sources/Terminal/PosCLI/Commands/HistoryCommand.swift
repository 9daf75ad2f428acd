internal import AgentAPI
internal import ArgumentParser
internal import HubProtocol
internal import Agent

/// `pos history`.
struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Every offline period: start, end, causes, evidence, sales made in it.")

    @OptionGroup var options: HomeOptions
    @Flag(help: "One JSON object on standard output.") var json = false

    func run() async throws {
        try await options.withAgent(reading: true) { connection in
            try await show(HistoryCall(), on: connection, json: json, render: OperationText.periods)
        }
    }
}
