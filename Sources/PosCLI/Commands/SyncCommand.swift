internal import ArgumentParser
internal import HubProtocol
internal import Terminal

/// `pos sync …`: the outbox.
struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "The outbox: what is pending, how old, what was refused and why.",
        subcommands: [
            Status.self, Now.self, Rejected.self, Retry.self, Edit.self, Discard.self, Resolve.self,
            Export.self,
        ], defaultSubcommand: Status.self)

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Shows the outbox; changes nothing.")

        @OptionGroup var options: HomeOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            try await options.withAgent(reading: true) { connection in
                try await show(
                    AgentRequest("GET", AgentRoutes.sync), on: connection, json: json,
                    render: OutboxText.items)
            }
        }
    }

    struct Now: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Drains and pulls; exit 75 if something is left or the pull failed.")

        @OptionGroup var options: HomeOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            try await options.withAgent { connection in
                let answer = try await connection.document(AgentRequest("POST", AgentRoutes.syncNow))
                if json {
                    Output.document(answer)
                } else {
                    Output.line(OutboxText.items(answer) + "\n" + OutboxText.pull(answer["catalogue"]))
                }
                guard answer["pending"]?.integer == 0 else {
                    let why = answer["stoppedBy"]?.string ?? "the hub did not take everything"
                    let retryHelps = answer["retryHelps"]?.bool ?? true
                    throw TerminalError(
                        .tryAgain, code: "sync_incomplete",
                        "\(why); what is left is kept and sent by itself"
                            + (retryHelps ? ", `pos sync now` tries again" : ""))
                }
                guard answer["catalogue"]?["failed"]?.bool != true else {
                    throw TerminalError(.tryAgain, code: "pull_failed", OutboxText.pull(answer["catalogue"]))
                }
            }
        }
    }
}
