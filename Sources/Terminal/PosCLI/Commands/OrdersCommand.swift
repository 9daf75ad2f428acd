internal import AgentAPI
internal import HubProtocol
internal import ArgumentParser
internal import Agent

/// `pos orders list|search|show|void|refund|exchange|receipt|owed|repay|granted|take-back`.
struct OrdersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "orders", abstract: "Local orders, each with its sync state.",
        subcommands: [
            List.self, Search.self, Show.self, Void.self, Refund.self, Exchange.self, Receipt.self,
            Owed.self, Repay.self, Granted.self, TakeBack.self,
        ],
        defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "The newest orders; changes nothing.")

        @OptionGroup var options: HomeOptions
        @Option(help: "How many, newest first.") var limit = 50
        @Flag(help: "One JSON object on standard output.") var json = false

        func validate() throws { try Self.check(limit: limit) }

        static func check(limit: Int) throws {
            guard (1...1_000_000).contains(limit) else {
                throw ValidationError(.form(of: "--limit", "1 … 1000000", not: "\(limit)"))
            }
        }

        func run() async throws {
            try await options.withAgent(reading: true) { connection in
                try await showOrders(
                    OrderListCall(limit: limit), on: connection, json: json, render: OrderText.list)
            }
        }
    }

    struct Search: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Orders by what is known of them; all conditions have to match. Changes nothing.")

        @OptionGroup var options: HomeOptions
        @Option(help: "Any part of the order number, or the short code on the receipt.") var number: String?
        @Option(help: "The first business day, YYYY-MM-DD in the store's time zone.") var from: String?
        @Option(help: "The last business day, YYYY-MM-DD.") var to: String?
        @Option(help: "The total in minor units.") var amount: Int64?
        @Option(help: "The member's id.") var member: String?
        @Option(help: "A barcode or SKU, or any part of an article's name.") var article: String?
        @Option(help: "How many, newest first.") var limit = 50
        @Flag(help: "One JSON object on standard output.") var json = false

        func validate() throws {
            try List.check(limit: limit)
            guard [number, from, to, member, article].contains(where: { $0 != nil }) || amount != nil else {
                throw ValidationError(.noCondition)
            }
        }

        func run() async throws {
            var call = OrderSearchCall()
            (call.number, call.from, call.to, call.amount) = (number, from, to, amount)
            (call.member, call.article, call.limit) = (member, article, limit)
            try await options.withAgent(reading: true) { connection in
                try await showOrders(call, on: connection, json: json, render: OrderText.found)
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "One order with its receipt; changes nothing.")

        @OptionGroup var options: HomeOptions
        @Argument(help: "The order's id or number.") var id: String
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            try await options.withAgent(reading: true) { connection in
                try await show(ShowOrderCall(id: id), on: connection, json: json, render: OrderText.receipts)
            }
        }
    }

    struct Void: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Voids a finished order: a journal entry of its own, stock and card included.")

        @OptionGroup var options: HomeOptions
        @Argument(help: "The order's id or number.") var id: String
        @Option(help: "The reason.") var reason: String?
        @OptionGroup var person: PersonOptions
        @OptionGroup var files: AttachOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            let call = VoidOrderCall(
                id: id, reason: reason, person: try person.person(), files: AttachedFiles(paths: files.paths))
            try await options.withAgent { connection in
                try await show(call, on: connection, json: json) {
                    OrderText.voided($0.order, $1)
                }
            }
        }
    }

    struct Refund: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Refunds goods: all that is left of a sale, or the named lines.",
            discussion: """
                The money goes back to the cards and vouchers that paid, where the store and its hub can do that; \
                the rest is cash. \
                Of this terminal's order by its id or number, of any terminal's by the code of its receipt. Where \
                the hub does not respond, a receipt's code needs an approver and has the limits of \
                refund.withoutOrder; so do goods without a receipt, always.
                """)

        @OptionGroup var options: HomeOptions
        @Argument(help: "The order's id or number, of an order of this terminal.") var id: String?
        @Option(help: "The code of the receipt, HF1.…, as a scanner reads it.") var receiptCode: String?
        @Flag(help: "There is no receipt; the named lines are paid at today's prices.")
        var withoutReceipt = false
        @Option(help: "A barcode or sku of the order, BARCODE[:QTY]; all of it without QTY. May be repeated.")
        var line: [String] = []
        @Option(help: "The reason.") var reason: String?
        @Flag(help: "Pays a card's money in cash too, which needs an approver in a store with cashiers.")
        var inCash = false
        @OptionGroup var person: PersonOptions
        @Option(help: "A ULID; the same one again refunds nothing more.") var key: String?
        @OptionGroup var files: AttachOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func validate() throws {
            try Self.check(id, receiptCode, withoutReceipt)
        }

        static func check(_ id: String?, _ receiptCode: String?, _ withoutReceipt: Bool) throws {
            let named = [id != nil, receiptCode != nil, withoutReceipt].filter(\.self).count
            guard named == 1 else {
                throw ValidationError(.saleNamedOnce)
            }
        }

        static func origin(_ id: String?, _ receiptCode: String?) -> RefundOrderCall.Origin {
            if let id { return .order(id) }
            return receiptCode.map(RefundOrderCall.Origin.receipt) ?? .nothing
        }

        static func lines(_ texts: [String]) throws -> [RefundOrderCall.Line] {
            try texts.map { text in
                let line = try SaleArguments.line(text)
                return RefundOrderCall.Line(
                    article: line.barcode, quantityMilli: line.quantityMilli,
                    unitPriceMinor: line.unitPriceMinor)
            }
        }

        func run() async throws {
            let call = RefundOrderCall(
                of: Self.origin(id, receiptCode), lines: try Self.lines(line), reason: reason, key: key,
                person: try person.person(),
                files: AttachedFiles(paths: files.paths), isInCash: inCash)
            try await options.withAgent { connection in
                try await show(call, on: connection, json: json, render: OrderText.refund)
            }
        }
    }

    struct Exchange: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes goods back and sells others for them, both or neither.",
            discussion: """
                What comes back is worth cash in the sale; the customer pays the rest or gets it. The goods that come \
                back are named as for `pos orders refund`, the others as for `pos sell`.
                """)

        @OptionGroup var options: HomeOptions
        @Argument(help: "The order's id or number, of an order of this terminal.") var id: String?
        @Option(help: "The code of the receipt, HF1.…, as a scanner reads it.") var receiptCode: String?
        @Flag(help: "There is no receipt; what comes back is worth today's prices.")
        var withoutReceipt = false
        @Option(
            name: .customLong("return"),
            help: "What comes back, BARCODE[:QTY]; without it all that is left of the sale. May be repeated.")
        var returned: [String] = []
        @OptionGroup var basket: BasketOptions
        @Option(
            name: .customLong("pay"),
            help:
                "METHOD[:AMOUNT[:NUMBER]]: a tender of the store, minor units, a voucher's number; repeatable."
        )
        var payments: [String] = []
        @Option(help: "The reason for the return.") var reason: String?
        @OptionGroup var person: PersonOptions
        @Option(help: "A ULID; the same key again returns the first exchange.") var key: String?
        @Flag(help: "One JSON object on standard output.") var json = false

        func validate() throws {
            try Refund.check(id, receiptCode, withoutReceipt)
            guard !basket.lines.isEmpty else {
                throw ValidationError(.nothingSoldForIt)
            }
        }

        func run() async throws {
            var call = try basket.call(key: key ?? SaleKey.mint())
            call.returns = SellCall.Returns(
                of: Refund.origin(id, receiptCode), lines: try Refund.lines(returned), reason: reason)
            call.payments = try payments.map { try SaleArguments.payment($0) }
            call.person = try person.person()
            let exchange = call
            try await options.withAgent { connection in
                try await show(exchange, on: connection, json: json, render: OrderText.exchange)
            }
        }
    }

    struct Receipt: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "The receipt of an order again: on the screen, in a file, or as a copy from the printer.")

        @OptionGroup var options: HomeOptions
        @Argument(help: "The order's id or number.") var id: String
        @Flag(help: "Marks it as a copy; without --escpos the printer prints it.") var copy = false
        @Option(help: "Writes what the printer would get into this file, and prints nothing.")
        var escpos: String?
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            let isPrinted = copy && escpos == nil
            let call = ReceiptCall(id: id, isCopy: copy, isPrinted: isPrinted)
            try await options.withAgent(reading: !isPrinted) { connection in
                let received = try await connection.response(to: call.request)
                let response = try call.response(in: received)
                if let escpos { try PrinterText.write(response, to: escpos) }
                if json { return Output.document(received.body) }
                if escpos == nil { Output.line(PrinterText.receipt(response)) }
            }
        }
    }

    struct Owed: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Money that has to go back to cards by the terminal's own card machine. Changes nothing.",
            discussion: "What waits for the machine, and what it refused: that is owed to the customer.")

        @OptionGroup var options: HomeOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            try await options.withAgent(reading: true) { connection in
                try await show(CardReturnsCall(), on: connection, json: json, render: OrderText.owed)
            }
        }
    }

    struct Repay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Pays in cash what the card machine refused to give back, or with --card gives it to a card.",
            discussion:
                "In a store with cashiers a manager approves cash. What waits for the machine is not paid in cash."
        )

        @OptionGroup var options: HomeOptions
        @Argument(help: "The id that `pos orders owed` shows.") var id: String
        @Flag(help: "Requests it of the machine again, which takes the card that the customer presents now.")
        var card = false
        @OptionGroup var person: PersonOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            let person = try person.person()
            let call = PayCardReturnCall(refundId: id, person: person)
            try await options.withAgent { connection in
                if card {
                    let call = ReturnToCardCall(refundId: id, person: person)
                    return try await show(call, on: connection, json: json, render: OrderText.owed)
                }
                try await show(call, on: connection, json: json, render: OrderText.repaid)
            }
        }
    }

    struct Granted: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Refunds of this till's sales that other tills of the store may make, and have not. Changes nothing.",
            discussion:
                "Their amounts are not given back here. The last column says how long that till is silent.")

        @OptionGroup var options: HomeOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            try await options.withAgent(reading: true) { connection in
                try await show(GrantedRefundsCall(), on: connection, json: json, render: OrderText.granted)
            }
        }
    }

    struct TakeBack: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "take-back",
            abstract: "Takes back the right to a refund from a till that is silent for a minute.",
            discussion: """
                This till can give the amount back again. In a store with cashiers a manager approves it. If the \
                other till made the refund, the hub flags the second one.
                """)

        @OptionGroup var options: HomeOptions
        @Argument(help: "The id that `pos orders granted` shows.") var id: String
        @OptionGroup var person: PersonOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            let call = TakeBackRefundCall(refundId: id, person: try person.person())
            try await options.withAgent { connection in
                try await show(call, on: connection, json: json, render: OrderText.tookBack)
            }
        }
    }
}
