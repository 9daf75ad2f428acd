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
        if basket.lines.isEmpty { throw ValidationError("a quote needs --line BARCODE[:QTY]") }
    }

    func run() async throws {
        let call = QuoteCall(try basket.call())
        try await options.withAgent { connection in
            try await show(call, on: connection, json: json, render: CartText.quote)
        }
    }
}

/// `pos cart park|list|show|resume|drop`: carts that wait while other customers are served.
struct CartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cart", abstract: "Carts that are not sold: on a screen, left, or parked.",
        subcommands: [Current.self, Park.self, List.self, Show.self, Resume.self, Drop.self],
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
            if basket.lines.isEmpty { throw ValidationError("a cart needs --line BARCODE[:QTY]") }
        }

        func run() async throws {
            let call = ParkCartCall(name: name, basket: try basket.call(key: key))
            try await options.withAgent { connection in
                try await show(call, on: connection, json: json, render: CartText.cart)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "The parked carts; changes nothing.")

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
                    let dropped = text("the cart \(cart.cartId) is dropped", "已删除购物车 \(cart.cartId)")
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
private enum CartText {
    static func quote(_ quote: QuoteResponse, _ text: CheckoutText) -> String {
        let currency = quote.total.currency
        var rows = quote.lines.map { line in
            "\(QuantityText.text(milli: line.quantityMilli)) x \(line.name.printable)  "
                + MoneyAmount(line.total, currency).text
        }
        for offer in quote.lines.flatMap(\.offers) {
            rows.append("  \(offer.name.printable)  -\(MoneyAmount(offer.amount, currency).text)")
        }
        if let member = quote.member {
            rows.append(
                text("member ", "会员 ") + (member.name ?? member.memberId).printable
                    + (member.isKnown ? "" : text(" (unknown, noted as typed)", "（未知，按输入记录）")))
        }
        rows.append(
            text(
                "total \(quote.total.text), tax included \(quote.tax.text)",
                "合计 \(quote.total.text)，含税 \(quote.tax.text)"))
        if quote.cashRounding.amount != 0 {
            rows.append(text("cash rounding ", "现金抹零 ") + quote.cashRounding.text)
        }
        rows += quote.messages.compactMap { message($0, text) }
        if let moment = quote.validUntil {
            rows.append(
                text("holds until \(moment), when an offer begins or ends", "有效至 \(moment)，届时优惠开始或结束"))
        }
        return rows.joined(separator: "\n")
    }

    /// The line of a message; nil for one that the rows above it show already.
    private static func message(_ word: String, _ text: CheckoutText) -> String? {
        switch word {
        case "member_unknown": nil
        case "coupon_unchecked":
            text("a coupon cannot be checked here; the hub checks it with the sale", "券在此无法核验，总部将随单核验")
        case "price_changed":
            text("the total is another one than was quoted; inform the customer", "合计与报价不同，请告知顾客")
        case "approval_required": text("the sale needs an approver (--approver)", "此单需要主管批准（--approver）")
        case "clock_differs":
            text(
                "the clocks of till and hub differ; set the clock, or sell with --clock-confirmed",
                "本机与总部时钟不一致；请校准时钟，或用 --clock-confirmed 销售")
        case _: word.printable
        }
    }

    static func list(_ response: CartListCall.Response, _ text: CheckoutText) -> String {
        response.carts.isEmpty
            ? text("no parked carts", "没有挂单") : response.carts.map { head($0, text) }.joined(separator: "\n")
    }

    static func cart(_ cart: CartRecord, _ text: CheckoutText) -> String {
        let lines = cart.lines.map { line in
            "  \(QuantityText.text(milli: line.quantityMilli)) x \(line.name.printable)  \(line.total.text)"
        }
        return ([head(cart, text)] + lines).joined(separator: "\n")
    }

    static func current(_ response: OpenCartsCall.Response, _ text: CheckoutText) -> String {
        let rows = response.carts.map { cart in
            return "\(cart.cartId)  \(cart.state)  \(cart.total.text)  "
                + cart.content(in: text.language)
                + cart.taken.map { text("  taken ", "  已收 ") + "\($0.amount.text) \($0.method)" }.joined()
                + (cart.frontEnd.map { "  \($0.printable)" } ?? "") + "  \(cart.since)"
                + (cart.name.map { "  \($0.printable)" } ?? "")
        }
        return rows.isEmpty ? text("no carts", "没有购物车") : rows.joined(separator: "\n")
    }

    static func products(_ response: ProductSearchCall.Response, _ text: CheckoutText) -> String {
        let rows = response.products.map { product in
            "\(product.barcode.printable)  \(product.name.printable)  "
                + "\(MoneyAmount(product.priceMinor, product.currency).text)  \(product.sku.printable)\(left(product.stock, text))"
        }
        return rows.isEmpty ? text("no article contains that", "没有找到商品") : rows.joined(separator: "\n")
    }

    private static func left(_ stock: ProductCall.Stock?, _ text: CheckoutText) -> String {
        guard let stock else { return "" }
        let counted = stock.countedAt.map { text(", counted by the hub \($0)", "，总部盘点于 \($0)") } ?? ""
        let left = QuantityText.text(milli: stock.milli)
        return text("  \(left) left\(counted)", "  库存 \(left)\(counted)")
    }

    static func departments(_ response: DepartmentListCall.Response, _ text: CheckoutText) -> String {
        let rows = response.departments.map { department in
            "\(department.department.printable)/\(QuantityText.text(milli: department.taxBasisPoints * 10))"
        }
        return rows.isEmpty
            ? text("the catalogue has no departments", "商品目录没有部门") : rows.joined(separator: "\n")
    }

    private static func head(_ cart: CartRecord, _ text: CheckoutText) -> String {
        "\(cart.cartId)  \(cart.total.text)  \(cart.content(in: text.language))"
            + text("  parked ", "  挂单 ") + cart.parkedAt
            + (cart.resumedAt.map { text("  resumed ", "  取单 ") + $0 } ?? "")
            + (cart.name.map { "  \($0.printable)" } ?? "")
    }
}
