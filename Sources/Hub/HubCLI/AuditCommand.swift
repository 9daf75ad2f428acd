internal import ArgumentParser
internal import HubProtocol
internal import HubServer
internal import HubStore
internal import Pricing

/// `pos-hub audit`: what was sold, what was received, and whether anything is missing in between.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Verify the hash chains of the terminals' journals, entry by entry.")

    @OptionGroup var options: StoreOptions

    @Option(help: "One terminal's id. Default: all.")
    var terminal: String?

    func run() async throws {
        let response = try await options.perform(.audit(terminal: terminal))
        try options.show(response) { response in
            ((response["terminals"]?.array ?? []).map(Self.summary)
                + (response["debts"]?.array ?? []).map(Self.debt)).joined(separator: "\n")
        }
        let troubled = (response["terminals"]?.array ?? []).filter { $0["trouble"]?.bool == true }
        guard troubled.isEmpty else {
            throw CommandFailure.refused(
                "look at " + troubled.compactMap { $0["terminalId"]?.string }.joined(separator: ", ")
                    + ": entries or sums are missing or changed")
        }
    }

    /// One of the sums beside the total; nothing when there is none.
    private static func sum(_ terminal: JSONValue, _ key: String, of things: String = "orders") -> String {
        let sum = SaleSum(shown: terminal[key])
        return sum.orders > 0 ? "  \(key) \(sum.orders) \(things), " + amounts(sum.amounts) : ""
    }

    /// What is left after voids and refunds, where there are some.
    private static func net(_ terminal: JSONValue) -> String {
        let isLess = ["voided", "refunds"].contains { SaleSum(shown: terminal[$0]).orders > 0 }
        return isLess ? "  net " + amounts(sums(terminal["net"])) : ""
    }

    /// Each currency by itself. A sum that does not fit is shown as more than the largest one that does.
    private static func amounts(_ sums: [CurrencySum]) -> String {
        let texts = sums.map { ($0.exceeds ? "beyond " : "") + AmountText.money($0.amount, $0.currency) }
        return texts.isEmpty ? "none" : texts.joined(separator: " + ")
    }

    private static func sums(_ sums: JSONValue?) -> [CurrencySum] {
        (sums?.array ?? []).map { CurrencySum(shown: $0) }
    }

    /// A card payment that was taken offline and declined when it was forwarded.
    private static func debt(_ debt: JSONValue) -> String {
        let amount = debt["amount"]
        let money = AmountText.money(amount?["amount"]?.integer ?? 0, amount?["currency"]?.string ?? "")
        return
            "debt: \(money) of order \(debt["orderId"]?.string ?? "") at \(debt["terminalId"]?.string ?? ""), "
            + "declined \(debt["refusedAt"]?.string ?? "") (\(debt["reason"]?.string ?? "no reason given"))"
    }

    private static func summary(_ terminal: JSONValue) -> String {
        func number(_ key: String) -> Int64 { terminal[key]?.integer ?? 0 }
        let missing = Int64(terminal["missing"]?.array?.count ?? 0)
        let sold = terminal["sold"]?.integer.map { "sold \($0)  " } ?? ""
        return "\(terminal["terminalId"]?.string ?? "")  \(sold)received \(number("received"))  "
            + "rejected \(number("rejected"))  gap \(max(missing, number("gap")))  "
            + "chain \(terminal["chain"]?.string ?? "")  head \(terminal["head"]?.string ?? "")  "
            + "orders \(number("orders"))  "
            + "total " + amounts(sums(terminal["totals"])) + sum(terminal, "voided")
            + sum(terminal, "refunds", of: "refunds") + net(terminal) + sum(terminal, "refused")
            + sum(terminal, "discarded")
            + sums(terminal) + unexplained(terminal) + missingBefore(terminal)
    }

    /// Sales whose sum in the store is not the journal's.
    private static func sums(_ terminal: JSONValue) -> String {
        let ids = (terminal["differingSums"]?.array ?? []).compactMap(\.string)
        guard !ids.isEmpty else { return "" }
        return "\n    the stored sums are not the journal's of: " + ids.joined(separator: ", ")
            + "\n    if it is the figures alone, `pos-hub rebuild` computes them again"
    }

    /// A line for what lies before the entries of an epoch and is not here.
    private static func missingBefore(_ terminal: JSONValue) -> String {
        (terminal["missingBefore"]?.array ?? []).map { gap in
            let (from, through) = (gap["from"]?.integer ?? 0, gap["through"]?.integer ?? 0)
            return "\n    \(from == through ? "entry \(from)" : "entries \(from) to \(through)") "
                + "before those of epoch \(gap["epoch"]?.integer ?? 0) are missing"
        }.joined()
    }

    /// A line for each head that the journal does not explain.
    private static func unexplained(_ terminal: JSONValue) -> String {
        (terminal["unexplained"]?.array ?? []).map { head in
            let end = head["journalEndedAt"]?.integer.map { "; later it ended at \($0)" } ?? ""
            return "\n    a signed head of \(head["seenAt"]?.string ?? "") ended at "
                + "\(head["sequence"]?.integer ?? 0) in epoch \(head["epoch"]?.integer ?? 0)\(end); "
                + "that entry is not here (\(head["reason"]?.string ?? ""))"
        }.joined()
    }
}
