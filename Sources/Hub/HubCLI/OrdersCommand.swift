internal import ArgumentParser
internal import HubCore
internal import HubProtocol
internal import HubServer
internal import Pricing

/// The options of the lists: days, store and page.
struct ListOptions: ParsableArguments {
    @Option(help: "The first day, YYYY-MM-DD. Default: no limit.")
    var from: String?

    @Option(help: "The last day, YYYY-MM-DD. Default: no limit.")
    var to: String?

    @Option(help: "One store's id. Default: all.")
    var storeId: String?

    /// The filter, when its days are days.
    func filter() throws(CommandFailure) -> SalesFilter {
        for (name, day) in [("--from", from), ("--to", to)] {
            if let day, SaleEntry.day(day) == nil {
                throw .usage("\(name) is a day, YYYY-MM-DD, not \"\(day)\"")
            }
        }
        return SalesFilter(from: from, to: to, storeId: storeId)
    }
}

struct PageOptions: ParsableArguments {
    @OptionGroup var list: ListOptions

    @Option(help: "How many at most, 1 to 1000.")
    var limit = BackOfficeCall.Page.usualLimit

    @Option(help: "The `cursor` of the page before. Default: the first page.")
    var cursor: String?

    func page() throws(CommandFailure) -> BackOfficeCall.Page {
        guard (1...BackOfficeCall.Page.maximumLimit).contains(limit) else {
            throw .usage("--limit is 1 to \(BackOfficeCall.Page.maximumLimit), not \(limit)")
        }
        return BackOfficeCall.Page(try list.filter(), cursor: cursor, limit: limit)
    }
}

extension StoreOptions {
    /// Does a call on the hub's store, or lets the running hub do it.
    func perform(_ call: AdminCall) async throws -> JSONValue {
        try await HubAccess(configuration: configuration()).perform(call)
    }

    /// Does a call and prints its response.
    func show(_ call: AdminCall, asText text: (JSONValue) -> String) async throws {
        try show(try await perform(call), asText: text)
    }

    /// Prints a list, a line for each of its rows, how to get the next page, and what else the response has.
    func showList(
        _ call: BackOfficeCall, _ name: String, others: (JSONValue) -> [String] = { _ in [] },
        line: (JSONValue) -> String
    ) async throws {
        let response = try await perform(.backOffice(call))
        let rows = response[name]?.array ?? []
        let none = rows.isEmpty && !json ? try await emptiness(of: call) : ""
        try show(response) { response in
            let more = response["cursor"]?.string.map { ["more: --cursor \($0)"] } ?? []
            return rows.isEmpty ? none : (rows.map(line) + more + others(response)).joined(separator: "\n")
        }
    }

    /// Why a list is empty: a day that has not begun is most often a slip.
    private func emptiness(of call: BackOfficeCall) async throws -> String {
        guard let first = call.filter?.from else { return "none" }
        let days = try await perform(.backOffice(.days))["days"]?.array ?? []
        guard let today = days.last?.string, first > today else { return "none" }
        return "none: \(first) has not begun; today is \(today)"
    }
}

/// `pos-hub orders`: the sales that the hub has.
struct OrdersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "orders", abstract: "Look at the orders of all terminals.",
        subcommands: [List.self, Show.self, Export.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List orders, those of the newest business day first.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var page: PageOptions

        func run() async throws {
            try await options.showList(.listOrders(try page.page()), "orders", line: OrdersCommand.line)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show one order with lines, payments, voids, refunds and flags.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The order's id or number, or the id of its mutation.")
        var id: String

        func run() async throws {
            try await options.show(.backOffice(.showOrder(id)), asText: Self.text)
        }

        static func text(_ order: JSONValue) -> String {
            let (row, sale) = (ListRow<OrderMember>(order), CompletedOrder(shown: order))
            let currency = row.text(.currency)
            let lines = sale.lines.map { line in
                "    \(line.sku)  \(line.name ?? "")  \(QuantityText.text(milli: line.quantityMilli))  "
                    + "\(AmountText.money(line.total ?? 0, currency))"
            }
            let payments = (sale.payments ?? []).map { payment in
                "    \(payment.method ?? "")  \(AmountText.money(payment.amount ?? 0, currency))"
            }
            let reversals = (row[.reversals]?.array ?? []).map { reversal in
                "    \(reversal["kind"]?.string ?? "")  \(reversal["businessDay"]?.string ?? "")  "
                    + "\(AmountText.money(reversal["amount"]?.integer ?? 0, currency))  "
                    + "mutation \(reversal["mutationId"]?.string ?? "")"
            }
            let flags = (row[.flags]?.array ?? []).compactMap(\.string)
            let archived = row[.archived]?.string.map { ["  archived \($0)"] } ?? []
            return
                ([OrdersCommand.line(order), "  mutation \(row.text(.mutationId))"] + archived + lines
                + payments + reversals + (flags.isEmpty ? [] : ["  flags " + flags.joined(separator: ", ")]))
                .joined(separator: "\n")
        }
    }

    private static func line(_ json: JSONValue) -> String {
        let order = ListRow<OrderMember>(json)
        let money = AmountText.money(order.number(.total), order.text(.currency))
        return "\(order.text(.businessDay))  \(order.text(.orderNumber))  \(money)  \(order.text(.state))  "
            + "\(order.text(.storeId))  cashier \(order.text(.cashierId, or: "-"))  \(order.text(.orderId))"
    }
}

/// `pos-hub sales`: what was sold, by a dimension.
struct SalesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sales", abstract: "Sum up what was sold, less voids and refunds.",
        discussion: "gross - discounts - refunds = net. A void and a refund count on their own day.")

    @OptionGroup var options: StoreOptions
    @OptionGroup var list: ListOptions

    @Option(help: "day, store, terminal, cashier, tender, tax or product.")
    var by = "day"

    func run() async throws {
        guard let dimension = SalesDimension(rawValue: by) else {
            let names = SalesDimension.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure.usage("--by is one of \(names), not \"\(by)\"")
        }
        try await options.showList(.sales(by: dimension, try list.filter()), "rows") { row in
            let currency = row["currency"]?.string ?? ""
            let key = dimension.names.map { name in
                row["key"]?[name]?.string ?? row["key"]?[name]?.integer.map { String($0) } ?? "-"
            }.joined(separator: " ")
            let amounts = ["gross", "discounts", "refunds", "net", "tax"].map { name in
                "\(name) \(AmountText.money(row[name]?.integer ?? 0, currency))"
            }
            return "\(key)  orders \(row["orders"]?.integer ?? 0)  " + amounts.joined(separator: "  ")
        }
    }
}

/// `pos-hub rebuild`: the read model out of the journals.
struct RebuildCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild", abstract: "Compute the figures of sales again out of the journals.",
        discussion: "Also beside a running hub. The figures are equal afterwards unless something was wrong.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
        try await options.show(.backOffice(.rebuild)) {
            "\($0["entries"]?.integer ?? 0) entries computed again"
        }
    }
}
