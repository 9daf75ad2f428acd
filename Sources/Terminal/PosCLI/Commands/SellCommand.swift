import Base

internal import ArgumentParser
internal import AgentAPI
internal import Agent

/// `pos sell`: interactive, one sale, or many over standard input.
struct SellCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sell", abstract: "The cashier's checkout.",
        discussion: """
            Without --line and --stdin it asks. With --line it makes one whole sale without questions; no --pay \
            means exact cash. With --stdin each line is one JSON request and gets one JSON line back, in order.
            """)

    @OptionGroup var options: HomeOptions
    @Option(name: .customLong("line"), help: "BARCODE[:QTY]; repeat for more lines. QTY may have 3 decimals.")
    var lines: [String] = []
    @Option(name: .customLong("pay"), help: "cash or card, [:AMOUNT] in minor units; repeat for more.")
    var payments: [String] = []
    @Option(help: "The member's id or telephone number.") var member: String?
    @Option(name: .customLong("coupon"), help: "A coupon's code; repeat for more.") var coupons: [String] = []
    @OptionGroup var person: PersonOptions
    @Flag(help: "Sells although the clocks of till and hub differ by more than a day.")
    var clockConfirmed = false
    @Option(help: "A ULID; the same key again returns the first sale.") var key: String?
    @Flag(help: "Reads one JSON request a line and writes one JSON response a line.") var stdin = false
    @Flag(help: "One JSON object on standard output.") var json = false

    func validate() throws {
        if stdin, !lines.isEmpty { throw ValidationError("--stdin and --line exclude each other") }
        if stdin, person.readsInput {
            throw ValidationError(
                "--stdin takes PINs in its lines, not by --pin-stdin or --approver-pin-stdin")
        }
        if stdin, !json { throw ValidationError("--stdin goes with --json") }
        if json, !stdin, lines.isEmpty { throw ValidationError("--json needs --line or --stdin") }
        if lines.isEmpty, !payments.isEmpty { throw ValidationError("--pay goes with --line") }
    }

    func run() async throws {
        // Queried before the agent is, whose work goes on while somebody types.
        let seller = stdin ? AgentPerson() : try person.person()
        try await options.withAgent(serving: stdin || lines.isEmpty) { connection in
            if stdin {
                try await SaleStream(connection: connection).run()
            } else if lines.isEmpty {
                var checkout = try CheckoutDialogue(connection: connection, person: seller)
                try await checkout.run()
            } else {
                try await show(try call(by: seller), on: connection, json: json) { $0.receipt }
            }
        }
    }

    private func call(by person: AgentPerson) throws -> SellCall {
        SellCall(
            key: key, lines: try lines.map { try SaleArguments.line($0) },
            payments: try payments.map { try SaleArguments.payment($0) }, memberId: member, coupons: coupons,
            person: person, isClockConfirmed: clockConfirmed)
    }
}
