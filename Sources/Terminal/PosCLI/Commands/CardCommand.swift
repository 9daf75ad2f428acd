internal import Agent
internal import AgentAPI
internal import ArgumentParser

/// `pos card status|test|last|close-day|decide`.
struct CardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "card", abstract: "The till's own card machine.",
        subcommands: [Status.self, Test.self, Last.self, CloseDay.self, Decide.self],
        defaultSubcommand: Status.self)

    /// What each of them takes, and how its response is shown.
    struct Options: ParsableArguments {
        @OptionGroup var home: HomeOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func show<Call: AgentCall>(
            _ call: Call, _ render: @escaping @Sendable (Call.Response, any PosTexts) -> String
        ) async throws {
            try await home.withAgent { connection in
                try await PosCLI.show(call, on: connection, json: json, render: render)
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "The machine now, and what is not finished at it; no money moves.")

        @OptionGroup var options: Options

        func run() async throws { try await options.show(CardMachineCall(), CardText.status) }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Registers at the machine, without money; exit 1 where it refuses, 75 where it is away."
        )

        @OptionGroup var options: Options

        func run() async throws { try await options.show(CardTestCall(), CardText.status) }
    }

    struct Last: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "The machine's newest booking, whoever made it.")

        @OptionGroup var options: Options

        func run() async throws { try await options.show(CardLastCall(), CardText.last) }
    }

    struct CloseDay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "The machine's own end of day, and its sum beside what this till did with it.",
            discussion: "After it the machine undoes no payment any more; refunds are new bookings.")

        @OptionGroup var options: Options
        @OptionGroup var person: PersonOptions

        func run() async throws {
            try await options.show(CardCloseDayCall(person: try person.person()), CardText.closed)
        }
    }

    struct Decide: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Decides a payment whose result nobody knows, with the machine's paper.",
            discussion:
                "In a store with a manager they approve it (`cardDecision`). The sale is completed by selling its cart again."
        )

        /// As typed.
        enum Decision: String, ExpressibleByArgument, CaseIterable {
            case charged
            case notCharged = "not-charged"
        }

        @OptionGroup var options: Options
        @Argument(help: "The key that `pos card status` shows.") var key: String
        @Argument(help: "charged or not-charged.") var decision: Decision
        @Option(help: "The number on the machine's paper; with charged.") var reference: String?
        @Option(help: "Why it was not charged; with not-charged.") var reason: String?
        @OptionGroup var person: PersonOptions

        func validate() throws {
            switch decision {
            case .charged where reference == nil || reason != nil:
                throw ValidationError(.needs("charged", ["--reference"]))
            case .notCharged where reason == nil || reference != nil:
                throw ValidationError(.needs("not-charged", ["--reason"]))
            case .charged, .notCharged: break
            }
        }

        func run() async throws {
            let call = DecideCardCall(
                key: key, isCharged: decision == .charged, text: reference ?? reason ?? "",
                person: try person.person())
            try await options.show(call, CardText.decided)
        }
    }
}
