internal import ArgumentParser
internal import HubProtocol
internal import HubServer
internal import Pricing

/// `pos-hub debts`: cards that terminals took offline and that were refused afterwards.
struct DebtsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "debts",
        abstract: "Look at cards that were taken offline and refused afterwards, and settle them.",
        subcommands: [List.self, Settle.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the open debts, those that were refused last first, with the sums by store.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var page: PageOptions

        @Flag(help: "Also those that somebody settled.")
        var all = false

        func run() async throws {
            let sums = { (response: JSONValue) in
                (response["sums"]?.array ?? []).map(DebtsCommand.sum)
            }
            try await options.showList(
                .listDebts(try page.page(), all: all), "debts", others: sums, line: DebtsCommand.line)
        }
    }

    struct Settle: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Note that a debt was paid or written off; it moves no money.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The debt's id: the key of its payment.")
        var id: String

        @Option(help: "How it was settled, for example who paid; it is kept.")
        var reason: String

        @Flag(help: "Nobody paid and nobody will: the journal feed says so.")
        var writtenOff = false

        func run() async throws {
            try await options.show(
                .backOffice(.settleDebt(id: id, isWrittenOff: writtenOff, reason: reason)),
                asText: DebtsCommand.line)
        }
    }

    private static func line(_ json: JSONValue) -> String {
        let debt = ListRow<DebtMember>(json)
        let settled = debt[.settlement]?["reason"]?.string.map { reason in
            "\n    settled by \(debt[.settlement]?["by"]?.string ?? ""): \(reason)"
        }
        return "\(debt.text(.id))  \(money(debt))  order \(debt.text(.orderNumber, or: "-"))  "
            + "\(debt.text(.storeId, or: "-"))  terminal \(debt.text(.terminalId))  "
            + "taken \(debt.text(.takenAt, or: "-"))  refused \(debt.text(.refusedAt))  "
            + "\(debt.text(.reason, or: "no reason given"))  \(debt.text(.state))" + (settled ?? "")
    }

    private static func sum(_ json: JSONValue) -> String {
        let sum = ListRow<DebtMember>(json)
        return "open in \(sum.text(.storeId, or: "-")): \(sum.number(.count)), \(money(sum))"
    }

    private static func money(_ debt: ListRow<DebtMember>) -> String {
        AmountText.money(debt.number(.amount), debt.text(.currency))
    }
}
