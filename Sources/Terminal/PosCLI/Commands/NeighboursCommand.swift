internal import Agent
internal import AgentAPI
internal import ArgumentParser

/// `pos neighbours show|try`.
struct NeighboursCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "neighbours",
        abstract: "The other tills of the store, as far as this one hears of them.",
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

/// The other tills of the store as text.
private enum NeighboursText {
    static func picture(_ picture: NeighboursCall.Response, _ text: any PosTexts) -> String {
        guard picture.isEnabled else { return text.neighboursOff }
        var lines: [String] = []
        if !picture.listening.isEmpty {
            lines.append(text.listening(picture.listening.joined(separator: ", ")))
        }
        lines += picture.notListening.map(text.notListening)
        if picture.refused > 0 { lines.append(text.strangers(picture.refused)) }
        if picture.isBehind { lines.append(text.diskIsOld) }
        if let since = picture.notConfirmedSince { lines.append(text.notConfirmed(since: since)) }
        let tills = picture.neighbours
        guard !tills.isEmpty else { return (lines + [text.noOtherTills]).joined(separator: "\n") }
        lines.append(text.otherTills(tills.count { $0.state == .reachable }, of: tills.count))
        lines += tills.map { "  " + text.till($0) }
        return lines.joined(separator: "\n")
    }
}
