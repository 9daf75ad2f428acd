internal import AgentAPI
internal import ArgumentParser
internal import HubProtocol
internal import Agent
internal import Pricing

/// `pos quote`: what a basket comes to.
struct QuoteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quote", abstract: "Prices a basket as a sale would be; sells nothing.")

    @OptionGroup var options: HomeOptions
    @OptionGroup var basket: BasketOptions
    @Flag(help: "One JSON object on standard output.") var json = false

    func validate() throws {
        if basket.lines.isEmpty { throw ValidationError(.needs("pos quote", ["--line BARCODE[:QTY]"])) }
    }

    func run() async throws {
        let call = QuoteCall(try basket.call())
        try await options.withAgent { connection in
            try await show(call, on: connection, json: json, render: CartText.quote)
        }
    }
}

/// `pos cart park|list|show|resume|take|copy|drop`: carts that wait while other customers are served.
struct CartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cart", abstract: "Carts that are not sold: on a screen, left, or parked.",
        subcommands: [
            Current.self, Park.self, List.self, Show.self, Resume.self, Take.self, Copy.self, Drop.self,
        ],
        defaultSubcommand: List.self)

    struct Current: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Every cart that is not sold, with what was taken for it; changes nothing.",
            discussion: """
                `open` is on a screen, `left` was on the screen of a window that ended, `parked` was put aside. \
                `pos cart resume ID` takes one up.
                """)

        @OptionGroup var options: HomeOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            try await options.withAgent(reading: true) { connection in
                try await show(OpenCartsCall(), on: connection, json: json, render: CartText.current)
            }
        }
    }

    struct Park: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Keeps a cart on disk; nothing is sold.")

        @OptionGroup var options: HomeOptions
        @Option(help: "Who the cart is for, as people call them.") var name: String?
        @OptionGroup var basket: BasketOptions
        @Option(help: "The id of a resumed cart, which this one replaces.") var key: String?
        @Flag(help: "One JSON object on standard output.") var json = false

        func validate() throws {
            if basket.lines.isEmpty {
                throw ValidationError(.needs("pos cart park", ["--line BARCODE[:QTY]"]))
            }
        }

        func run() async throws {
            let call = ParkCartCall(name: name, basket: try basket.call(key: key))
            try await options.withAgent { connection in
                try await show(call, on: connection, json: json, render: CartText.cart)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "The parked carts, those of the store's other tills too; changes nothing.")

        @OptionGroup var options: HomeOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            try await options.withAgent(reading: true) { connection in
                try await show(CartListCall(), on: connection, json: json, render: CartText.list)
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "One cart with its lines; changes nothing.")

        @OptionGroup var options: HomeOptions
        @Argument(help: "The cart's id.") var id: String
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            try await options.withAgent(reading: true) { connection in
                try await show(CartCall(id: id, .show), on: connection, json: json, render: CartText.cart)
            }
        }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes a cart up again; it stays on disk until it is sold.",
            discussion: """
                `pos sell --cart ID` sells it. One cart is sold once at most. One that another window has on its \
                screen is refused: park it there, or take it with --approver ID of a manager; a manager who is \
                signed in takes it with --from-window.
                """)

        @OptionGroup var options: HomeOptions
        @Argument(help: "The cart's id.") var id: String
        @Flag(help: "Takes it off the screen of another window, too.") var fromWindow = false
        @OptionGroup var person: PersonOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            let person = try person.person()
            let isTaken = fromWindow || person.approver != nil
            try await options.withAgent { connection in
                let call = CartCall(id: id, isTaken ? .take(person) : .resume)
                try await show(call, on: connection, json: json, render: CartText.cart)
            }
        }
    }

    struct Take: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Brings a cart that another till of the store has parked to this one.",
            discussion: """
                It is this till's then, and that one sells it no more. One of this till stays as it is.
                """)

        @OptionGroup var options: HomeOptions
        @Argument(help: "The cart's id, of `pos cart list`.") var id: String
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            try await options.withAgent { connection in
                try await show(CartCall(id: id, .fetch), on: connection, json: json, render: CartText.cart)
            }
        }
    }

    struct Copy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copies a cart of a till that does not respond into a new one.",
            discussion: """
                Lines, member and coupons come along, never what was taken. That till may have sold it: ask there \
                before you sell the copy. A till that responds gives the cart itself.
                """)

        @OptionGroup var options: HomeOptions
        @Argument(help: "The cart's id, of `pos cart list`.") var id: String
        @OptionGroup var person: PersonOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            let person = try person.person()
            try await options.withAgent { connection in
                try await show(
                    CartCall(id: id, .copy(person)), on: connection, json: json, render: CartText.cart)
            }
        }
    }

    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Removes a cart that nobody buys.")

        @OptionGroup var options: HomeOptions
        @Argument(help: "The cart's id.") var id: String
        @Option(help: "Why; it goes into the agent's log.") var reason: String
        @Flag(help: "The customer has back the cash and vouchers that were taken for it.")
        var handedBack = false
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            let call = CartCall(id: id, .drop(reason: reason, isHandedBack: handedBack))
            try await options.withAgent { connection in
                try await show(call, on: connection, json: json) { cart, text in
                    let dropped = text.cartDropped(cart.cartId)
                    let back = cart.money.handBack(at: .emptied)
                    return ([dropped] + back.lines(in: text.language, text.method))
                        .joined(separator: "\n")
                }
            }
        }
    }
}

/// `pos products search`: articles by a part of their name, SKU or barcode.
struct ProductsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "products", abstract: "The articles of this terminal.",
        subcommands: [Search.self, Departments.self])

    struct Departments: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "The departments that sell what the catalogue does not have; changes nothing.",
            discussion: """
                `pos sell --line CODE@PRICE#DEPARTMENT` sells by one of them; where its articles have several tax \
                rates, `#DEPARTMENT/RATE` with the rate in percent.
                """)

        @OptionGroup var options: HomeOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            try await options.withAgent(reading: true) { connection in
                try await show(
                    DepartmentListCall(), on: connection, json: json, render: CartText.departments)
            }
        }
    }

    struct Search: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Articles that contain a text in name, SKU or barcode; changes nothing.")

        @OptionGroup var options: HomeOptions
        @Argument(help: "Any part, upper and lower case alike; one character is enough.") var text: String
        @Option(help: "How many articles at most, 1 to 500.") var limit = ProductSearchCall.defaultLimit
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            let call = ProductSearchCall(text, limit: limit)
            try await options.withAgent(reading: true) { connection in
                try await show(call, on: connection, json: json, render: CartText.products)
            }
        }
    }
}

/// Quotes, carts and articles as text.
enum CartText {
    static func quote(_ quote: QuoteResponse, _ text: any PosTexts) -> String {
        let currency = quote.total.currency
        var rows = quote.lines.map { line in
            "\(QuantityText.text(milli: line.quantityMilli)) x \(line.name.printable)  "
                + MoneyAmount(line.total, currency).text
        }
        for offer in quote.lines.flatMap(\.offers) {
            rows.append("  \(offer.name.printable)  -\(MoneyAmount(offer.amount, currency).text)")
        }
        if let member = quote.member {
            let name = (member.name ?? member.memberId).printable
            rows.append(
                member.isKnown ? text.member(name) : text.unknownMember(name))
        }
        rows.append(text.quoted(total: quote.total.text, tax: quote.tax.text))
        if quote.cashRounding.amount != 0 {
            rows.append(text.cashRounding(quote.cashRounding.text))
        }
        rows += quote.messages.compactMap { message($0, text) }
        if let moment = quote.validUntil {
            rows.append(text.quoteHolds(until: moment))
        }
        return rows.joined(separator: "\n")
    }

    /// The line of a message; nil for one that the rows above it show already.
    private static func message(_ word: String, _ text: any PosTexts) -> String? {
        switch word {
        case "member_unknown": nil
        case "coupon_unchecked":
            text.couponUnchecked
        case "price_changed":
            text.quoteChanged
        case "approval_required": text.saleNeedsApprover
        case "clock_differs":
            text.clocksDiffer
        case _: word.printable
        }
    }

    static func list(_ response: CartListCall.Response, _ text: any PosTexts) -> String {
        response.carts.isEmpty
            ? text.noParkedCarts : response.carts.map { head($0, text) }.joined(separator: "\n")
    }

    static func cart(_ cart: CartRecord, _ text: any PosTexts) -> String {
        let lines = cart.lines.map { line in
            "  \(QuantityText.text(milli: line.quantityMilli)) x \(line.name.printable)  \(line.total.text)"
        }
        return ([head(cart, text)] + lines).joined(separator: "\n")
    }

    static func current(_ response: OpenCartsCall.Response, _ text: any PosTexts) -> String {
        let rows = response.carts.map { cart in
            let taken = cart.taken.map { text.taken($0.amount.text, by: $0.method) }
            let before: [String] = [
                cart.cartId, text.word(cart.state.rawValue), cart.total.text, cart.content(in: text.language),
            ]
            let behind: [String?] = [cart.frontEnd?.printable, cart.since, cart.name?.printable]
            return (before + taken + behind.compactMap(\.self)).joined(separator: "  ")
        }
        return rows.isEmpty ? text.noCarts : rows.joined(separator: "\n")
    }

    static func products(_ response: ProductSearchCall.Response, _ text: any PosTexts) -> String {
        let rows = response.products.map { product in
            "\(product.barcode.printable)  \(product.name.printable)  "
                + "\(MoneyAmount(product.priceMinor, product.currency).text)  \(product.sku.printable)\(left(product.stock, text))"
        }
        return rows.isEmpty ? text.noArticles : rows.joined(separator: "\n")
    }

    private static func left(_ stock: ProductCall.Stock?, _ text: any PosTexts) -> String {
        guard let stock else { return "" }
        return "  " + text.inStock(QuantityText.text(milli: stock.milli), countedAt: stock.countedAt)
    }

    static func departments(_ response: DepartmentListCall.Response, _ text: any PosTexts) -> String {
        let rows = response.departments.map { department in
            "\(department.department.printable)/\(QuantityText.text(milli: department.taxBasisPoints * 10))"
        }
        return rows.isEmpty
            ? text.noDepartments : rows.joined(separator: "\n")
    }

    private static func head(_ cart: CartRecord, _ text: any PosTexts) -> String {
        "\(cart.cartId)  \(cart.total.text)  \(cart.content(in: text.language))"
            + "  " + text.parked(cart.parkedAt)
            + (cart.resumedAt.map { "  " + text.resumed($0) } ?? "")
            + (cart.name.map { "  \($0.printable)" } ?? "")
            + (cart.isElsewhere
                ? "  " + text.ofTill(cart.ownerNumber, isSilent: cart.reachable == false) : "")
    }
}
