import Base

internal import ArgumentParser
internal import AgentAPI
internal import Agent

/// `pos sell`: interactive, one sale, or many over standard input.
struct SellCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sell", abstract: "The cashier's checkout.",
        discussion: """
            Without --line, --cart and --stdin it is a full screen; with --plain, and where there is no terminal \
            that can show one, it is a dialogue of lines. With --line or --cart it makes one whole sale \
            without questions; no --pay means exact cash. With --stdin each line is one JSON request and gets one \
            JSON line back, in order.
            """)

    @OptionGroup var options: HomeOptions
    @OptionGroup var basket: BasketOptions
    @Option(help: "Sells the parked cart of this id as it is, without --line.") var cart: String?
    @Option(
        name: .customLong("pay"),
        help: "METHOD[:AMOUNT[:NUMBER]]: a tender of the store, minor units, a voucher's number; repeatable.")
    var payments: [String] = []
    @Option(
        help:
            "The total that the customer was quoted, in minor units; another one is refused. With --cart: the cart's."
    )
    var quotedTotal: Int64?
    @OptionGroup var person: PersonOptions
    @Flag(help: "Sells although the clocks of till and hub differ by more than a day.")
    var clockConfirmed = false
    @Flag(help: "Takes a voucher although its number paid another sale of this till: it has money left.")
    var voucherConfirmed = false
    @Option(help: "A ULID; the same key again returns the first sale.") var key: String?
    @Flag(help: "Reads one JSON request a line and writes one JSON response a line.") var stdin = false
    @Flag(help: "A dialogue of lines instead of the full screen.") var plain = false
    @Flag(help: "One JSON object on standard output.") var json = false

    /// Whether the options go together. It is no `validate`, which would hide an unknown option behind it.
    private func check() throws {
        let isComplete = !basket.lines.isEmpty || cart != nil
        if cart != nil, !basket.lines.isEmpty || basket.member != nil || !basket.coupons.isEmpty || key != nil
        {
            throw ValidationError(.ownCart)
        }
        if stdin, isComplete { throw ValidationError(.excludes("--stdin", ["--line", "--cart"])) }
        if stdin, person.readsInput {
            throw ValidationError(.pinsInLines)
        }
        if stdin, !json { throw ValidationError(.needs("--stdin", ["--json"])) }
        if json, !stdin, !isComplete {
            throw ValidationError(.needs("--json", ["--line", "--cart", "--stdin"]))
        }
        if !isComplete, quotedTotal != nil {
            throw ValidationError(.needs("--quoted-total", ["--line", "--cart"]))
        }
        if !isComplete, !payments.isEmpty { throw ValidationError(.needs("--pay", ["--line", "--cart"])) }
    }

    func run() async throws {
        try check()
        // Queried before the agent is, whose work goes on while somebody types.
        let seller = stdin ? AgentPerson() : try person.person()
        let isDialogue = basket.lines.isEmpty && cart == nil
        try await options.withAgent(serving: stdin || isDialogue) { connection in
            if stdin {
                try await SaleStream(connection: connection).run()
            } else if isDialogue {
                try await serve(seller, on: connection)
            } else {
                try await show(
                    try await call(by: seller, on: connection), on: connection, json: json
                ) { sale, _ in sale.receipt }
            }
        }
    }

    /// One cashier after the other, on a full screen or line by line. A person given by options sells line by
    /// line: the screen is of whoever is signed in.
    private func serve(_ seller: AgentPerson, on connection: any AgentConnection) async throws {
        if !plain, seller == AgentPerson(), var session = try await CounterSession(connection: connection) {
            return try await session.run()
        }
        var checkout = try CheckoutDialogue(connection: connection, person: seller)
        try await checkout.run()
    }

    private func call(by person: AgentPerson, on connection: any AgentConnection) async throws -> SellCall {
        var call: SellCall
        if let cart {
            let parked: CartRecord
            do throws(TerminalError) {
                parked = try await connection.send(CartCall(id: cart, .show))
            } catch {
                // The key alone finds the sale that the cart became.
                guard error.code == "already_sold" else { throw error }
                return SellCall(key: cart, lines: [])
            }
            call = parked.basket
            call.points = basket.points ?? parked.points
            // What was taken pays its part; without --pay the rest is exact cash.
            let given = try payments.map { try SaleArguments.payment($0) }
            let isRest = given.isEmpty && !parked.money.isNone && parked.money.sum < parked.total.amount
            call.payments = parked.money.tenders + (isRest ? [SellCall.Tender(method: "cash")] : given)
            // The cart's total is the one without points that are named now.
            call.quotedTotalMinor = quotedTotal ?? (basket.points == nil ? parked.total.amount : nil)
        } else {
            call = try basket.call(key: key)
            call.quotedTotalMinor = quotedTotal
            call.payments = try payments.map { try SaleArguments.payment($0) }
        }
        call.person = person
        call.isClockConfirmed = clockConfirmed
        call.isVoucherConfirmed = voucherConfirmed
        return call
    }
}
