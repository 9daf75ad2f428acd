internal import AgentAPI
internal import ArgumentParser
internal import Base
internal import HubProtocol
internal import Agent

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
                try await show(SyncStatusCall(), on: connection, json: json, render: OutboxText.items)
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
                let call = SyncNowCall()
                let received = try await connection.response(to: call.request)
                let response = try call.response(in: received)
                let pull = OutboxText.pull(response.catalogue, Output.words)
                if json {
                    Output.document(received.body)
                } else {
                    Output.line(OutboxText.items(response.outbox, Output.words) + "\n" + pull)
                }
                guard response.outbox.counts.pending == 0 else {
                    throw TerminalError(.tryAgain, code: "sync_incomplete") {
                        $0.syncIncomplete(
                            response.texts?[$0.language.rawValue] ?? response.stoppedBy,
                            retryHelps: response.retryHelps)
                    }
                }
                guard response.catalogue.hasFailed != true else {
                    throw TerminalError(.tryAgain, code: "pull_failed") {
                        OutboxText.pull(response.catalogue, $0)
                    }
                }
            }
        }
    }
}
