internal import Agent
internal import AgentAPI
internal import ArgumentParser

/// `pos neighbours show|try`.
struct NeighboursCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "neighbours", abstract: "The other tills of the store, as far as this one hears of them.",
        subcommands: [Show.self, Try.self], defaultSubcommand: Show.self)

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Who is there, who is online, and what waits where; sends nothing.")

        @OptionGroup var home: HomeOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            try await home.withAgent(reading: true) { connection in
                try await show(NeighboursCall(), on: connection, json: json, render: NeighboursText.picture)
            }
        }
    }

    struct Try: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Connects to another till and shows each step; exit 4 where it ends early.")

        @OptionGroup var home: HomeOptions
        @Argument(help: "ADDRESS or ADDRESS:PORT, numeric; port 7710 unless given.") var address: String
        @Flag(help: "An address outside of a shop's own network, too.") var any = false
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            try await home.withAgent { connection in
                let call = TryNeighbourCall(address: address, isAny: any)
                let response = try await connection.response(to: call.request)
                let result = try call.response(in: response)
                if json { Output.document(response.body) } else { Output.line(Output.words.tried(result)) }
                if result.failedAt != nil { throw ExitCode(TerminalError.Kind.hubRefused.rawValue) }
            }
        }
    }
}
