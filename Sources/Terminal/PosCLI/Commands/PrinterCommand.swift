internal import Agent
internal import AgentAPI
internal import ArgumentParser

/// `pos printer status|test|retry`.
struct PrinterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "printer", abstract: "The receipt printer and the papers that wait for it.",
        subcommands: [Status.self, Test.self, Retry.self], defaultSubcommand: Status.self)

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "The printer by its last paper, and what is not printed; changes nothing.")

        @OptionGroup var options: HomeOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            try await options.withAgent(reading: true) { connection in
                try await show(PrinterCall(), on: connection, json: json, render: PrinterText.status)
            }
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints a test page and waits for it; exit 1 when the printer is not ready.")

        @OptionGroup var options: HomeOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            try await options.withAgent { connection in
                try await show(PrinterTestCall(), on: connection, json: json) {
                    $1.testPagePrinted
                }
            }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints papers that were interrupted, as copies, and those that waited too long.")

        @OptionGroup var options: HomeOptions
        @Argument(help: "A paper's or an order's id; all of them without it.") var id: String?
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            try await options.withAgent { connection in
                try await show(
                    PrinterRetryCall(id: id), on: connection, json: json, render: PrinterText.retried)
            }
        }
    }
}
