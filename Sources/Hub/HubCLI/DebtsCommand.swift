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
            let response = try await options.backOffice(.listDebts(try page.page(), all: all))
            try options.show(response) { response in
                let rows = (response["debts"]?.array ?? []).map(DebtsCommand.line)
                let more = response["cursor"]?.string.map { ["more: --cursor \($0)"] } ?? []
                let sums = (response["sums"]?.array ?? []).map(DebtsCommand.sum)
                return rows.isEmpty ? "none" : (rows + more + sums).joined(separator: "\n")
            }
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
            let response = try await options.backOffice(.settleDebt(id: id, isWrittenOff: writtenOff, reason: reason))
            try options.show(response, asText: DebtsCommand.line)
        }
    }

    private static func line(_ debt: JSONValue) -> String {
        let settled = debt["settlement"]?["reason"]?.string.map { reason in
            "\n    settled by \(debt["settlement"]?["by"]?.string ?? ""): \(reason)"
        }
        return "\(debt["id"]?.string ?? "")  \(money(debt))  order \(debt["orderNumber"]?.string ?? "-")  "
            + "\(debt["storeId"]?.string ?? "-")  terminal \(debt["terminalId"]?.string ?? "")  "
            + "taken \(debt["takenAt"]?.string ?? "-")  refused \(debt["refusedAt"]?.string ?? "")  "
            + "\(debt["reason"]?.string ?? "no reason given")  \(debt["state"]?.string ?? "")"
            + (settled ?? "")
    }

    private static func sum(_ sum: JSONValue) -> String {
        "open in \(sum["storeId"]?.string ?? "-"): \(sum["count"]?.integer ?? 0), \(money(sum))"
    }

    private static func money(_ json: JSONValue) -> String {
        AmountText.money(json["amount"]?.integer ?? 0, json["currency"]?.string ?? "")
    }
}
