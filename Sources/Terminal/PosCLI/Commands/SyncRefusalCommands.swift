internal import AgentAPI
internal import ArgumentParser
internal import Foundation
internal import HubProtocol
internal import Agent

extension SyncCommand {
    struct Rejected: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "What the hub refused, with the reason; changes nothing.")

        @OptionGroup var options: HomeOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            try await options.withAgent(reading: true) { connection in
                try await show(RefusalListCall(), on: connection, json: json, render: OutboxText.refusals)
            }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sends a refused mutation again as it is, under a new id that supersedes it.")

        @OptionGroup var refusal: RefusalArguments

        func run() async throws { try await refusal.resolve(.retry) }
    }

    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sends a refused mutation again with other content: same entity, same order number.",
            discussion: "A PATH names a member by its keys and indexes, for example lines.0.sku.")

        @OptionGroup var refusal: RefusalArguments
        @OptionGroup var person: PersonOptions
        @Option(help: "PATH=VALUE; VALUE is JSON, or a text when it is none. May be repeated.")
        var set: [String] = []
        @Option(help: "PATH of a member to remove. May be repeated.") var unset: [String] = []
        @Option(help: "A file with the complete new payload; - reads standard input.") var payload: String?

        func run() async throws {
            let assignments = try assignments()
            // PINs come first on standard input, the payload behind them.
            let person = try person.person()
            let changes = PayloadChanges(
                payload: try payload.map(document), set: assignments, unset: unset)
            try await refusal.resolve(.edit(changes), by: person)
        }

        private func assignments() throws -> [String: JSONValue] {
            var assignments: [String: JSONValue] = [:]
            for text in set {
                guard let equals = text.firstIndex(of: "=") else {
                    throw ValidationError(.form(of: "--set", "PATH=VALUE", not: text))
                }
                let value = String(text[text.index(after: equals)...])
                assignments[String(text[..<equals])] =
                    (try? JSONParser.parse(Array(value.utf8))) ?? .string(value)
            }
            return assignments
        }

        private func document(in file: String) throws -> JSONValue {
            let data =
                file == "-"
                ? try FileHandle.standardInput.readToEnd() : FileManager.default.contents(atPath: file)
            guard let data, let document = try? JSONParser.parse(Array(data)) else {
                throw ValidationError(.noJSON(file))
            }
            return document
        }
    }

    struct Discard: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Discards a refused mutation, with the reason. The sale stays on this terminal.")

        @OptionGroup var refusal: RefusalArguments
        @OptionGroup var person: PersonOptions
        @Option(help: "The reason.") var reason: String
        @Option(help: "Who did it, as a text. Default: the signed-in cashier.") var by: String?

        func run() async throws {
            try await refusal.resolve(.discard(reason: reason, by: by), by: try person.person())
        }
    }

    struct Resolve: AsyncParsableCommand {
        enum Side: String, ExpressibleByArgument {
            case mine
            case server

            var kept: ResolveRefusalCall.Side {
                switch self {
                case .mine: .mine
                case .server: .server
                }
            }
        }

        static let configuration = CommandConfiguration(
            abstract: "Ends a conflict: sends mine again on top of the server's state, or keeps the server's."
        )

        @OptionGroup var refusal: RefusalArguments
        @OptionGroup var person: PersonOptions
        @Option(help: "Which version stays: mine or server.") var keep: Side
        @Option(help: "Who did it, as a text. Default: the signed-in cashier.") var by: String?

        func run() async throws {
            try await refusal.resolve(.resolve(keep: keep.kept, by: by), by: try person.person())
        }
    }
}

struct RefusalArguments: ParsableArguments {
    @OptionGroup var options: HomeOptions
    @Argument(help: "The mutation's id, from `pos sync rejected`.") var id: String
    @Flag(help: "One JSON object on standard output.") var json = false

    /// Sends the decision to the agent, and prints under which id the mutation goes on.
    func resolve(
        _ decision: ResolveRefusalCall.Decision, by person: AgentPerson = PersonOptions.session
    ) async throws {
        let call = ResolveRefusalCall(id: id, decision, by: person)
        try await options.withAgent { connection in
            try await show(call, on: connection, json: json) { response, text in
                response.kind == .discards
                    ? text.givenUp(id, reported: response.id)
                    : text.sentAgain(id, as: response.id)
            }
        }
    }
}
