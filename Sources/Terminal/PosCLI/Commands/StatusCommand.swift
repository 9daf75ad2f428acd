internal import AgentAPI
internal import ArgumentParser
internal import HubProtocol
internal import Agent

/// `pos status`: changes nothing.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Mode, why, since when, what each module can do, outbox, last sync.")

    @OptionGroup var options: HomeOptions
    @Flag(help: "One JSON object on standard output.") var json = false
    @Flag(help: "Shows each change, with the countdown of T1 and of recovery, until Control-C.")
    var watch = false
    @Option(help: "An id or a telephone number: the points that this member can spend now.")
    var member: String?

    func run() async throws {
        try await options.withAgent(reading: true) { connection in
            guard watch else {
                try await show(
                    StatusCall(member: member), on: connection, json: json, render: StatusText.full)
                return
            }
            Output.endWithReader()
            if json {
                for await status in connection.watchStatus() { Output.line(of: status.json) }
            } else {
                await BannerFeed.follow(connection, BannerWatch()) { Output.line($0) }
            }
            throw TerminalError(.tryAgain, code: "agent_gone") { $0.agentEnded }
        }
    }
}
