internal import Agent
internal import AgentAPI
internal import ArgumentParser

/// `pos card status|test|last|close-day|decide`.
struct CardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "card", abstract: "The till's own card machine.",
        subcommands: [Status.self, Test.self, Last.self, CloseDay.self, Decide.self],
        defaultSubcommand: Status.self)

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "The machine now, and what is not finished at it; no money moves.")

        @OptionGroup var options: HomeOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            try await options.withAgent { connection in
                try await show(CardMachineCall(), on: connection, json: json, render: CardText.status)
            }
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Registers at the machine, without money; exit 1 where it refuses, 75 where it is away."
        )

        @OptionGroup var options: HomeOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            try await options.withAgent { connection in
                try await show(CardTestCall(), on: connection, json: json, render: CardText.status)
            }
        }
    }

    struct Last: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "The machine's newest booking, whoever made it.")

        @OptionGroup var options: HomeOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            try await options.withAgent { connection in
                try await show(CardLastCall(), on: connection, json: json, render: CardText.last)
            }
        }
    }

    struct CloseDay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "The machine's own end of day, and its sum beside what this till did with it.",
            discussion: "After it the machine undoes no payment any more; refunds are new bookings.")

        @OptionGroup var options: HomeOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            try await options.withAgent { connection in
                try await show(CardCloseDayCall(), on: connection, json: json, render: CardText.closed)
            }
        }
    }

    struct Decide: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Decides a payment whose result nobody knows, with the machine's paper.",
            discussion:
                "In a store with cashiers a manager approves it. The sale is completed by selling its cart again."
        )

        /// As typed.
        enum Verdict: String, ExpressibleByArgument, CaseIterable {
            case charged
            case notCharged = "not-charged"
        }

        @OptionGroup var options: HomeOptions
        @Argument(help: "The key that `pos card status` shows.") var key: String
        @Argument(help: "charged or not-charged.") var verdict: Verdict
        @Option(help: "The number on the machine's paper; with charged.") var reference: String?
        @Option(help: "Why it was not charged; with not-charged.") var reason: String?
        @OptionGroup var person: PersonOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func validate() throws {
            switch verdict {
            case .charged where reference == nil || reason != nil:
                throw ValidationError("charged needs --reference with the number on the machine's paper")
            case .notCharged where reason == nil || reference != nil:
                throw ValidationError("not-charged needs --reason")
            case .charged, .notCharged: break
            }
        }

        func run() async throws {
            let call = DecideCardCall(
                key: key, isCharged: verdict == .charged, text: reference ?? reason ?? "",
                person: try person.person())
            try await options.withAgent { connection in
                try await show(call, on: connection, json: json, render: CardText.decided)
            }
        }
    }
}
