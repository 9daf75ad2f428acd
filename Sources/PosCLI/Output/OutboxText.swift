internal import HubProtocol
internal import Pricing
internal import Terminal

/// The words for the outbox and the orders.
enum OutboxText {
    static func depth(_ outbox: JSONValue) -> String {
        guard let pending = outbox["pending"]?.integer else { return "cannot be read" }
        let age = outbox["oldestAgeMs"]?.integer.map { ", the oldest \($0 / 1000) s old" } ?? ""
        let rejected = outbox["rejected"]?.integer ?? 0
        let conflicted = outbox["conflicted"]?.integer ?? 0
        return "\(pending) pending\(age), \(rejected) rejected, \(conflicted) in conflict, "
            + "hub has all through \(outbox["acknowledgedThrough"]?.integer ?? 0)"
            + (outbox["retryAfterEndsAt"]?.string.map { ", the hub asked to wait until \($0)" } ?? "")
    }

    static func items(_ outbox: JSONValue) -> String {
        let rows = (outbox["items"]?.array ?? []).map { item in
            let attempts = item["attempts"]?.integer ?? 0
            let problem = item["problem"]?["detail"]?.string ?? item["problem"]?.string
            let waits = item["waitsForAttachments"]?.array?.count ?? 0
            return "  \(item["sequence"]?.integer ?? 0)  \(item["type"]?.string ?? "-")  "
                + "\(item["state"]?.string ?? "-"), \(attempts) attempts"
                + (waits > 0 ? ", waits for \(waits) attachments" : "")
                + (problem.map { ": \($0.printable)" } ?? "")
        }
        let version = schema(outbox["schema"]).map { [$0] } ?? []
        let attachments = (outbox["attachments"]?.array ?? []).map(attachment)
        return ([depth(outbox)] + version + rows + attachments).joined(separator: "\n")
    }

    /// How old prices and PINs are, and what stands in the way of newer ones.
    static func pull(_ catalogue: JSONValue?) -> String {
        let age = catalogue?["ageMs"]?.integer.map { AgeText.text(milliseconds: $0) + " old" }
        var words = "the last good pull of the catalogue is \(age ?? "still to come")"
        if let problem = catalogue?["problem"]?.string { words += ", the newest one failed: \(problem)" }
        let skipped = catalogue?["skipped"]?.array ?? []
        if !skipped.isEmpty { words += ", \(skipped.count) rows passed over (`pos doctor` names them)" }
        return words.printable
    }

    /// What the hub has against this version; nil for nothing.
    static func schema(_ schema: JSONValue?) -> String? {
        switch schema?["state"]?.string {
        case "refused"?: return "stopped: the hub wants a newer version of this terminal; everything is kept"
        case "retiring"?:
            let date = schema?["sunsetAt"]?.string?.prefix(10) ?? "-"
            return "warning: the hub answers this version until \(date); update before then"
        case _: return nil
        }
    }

    private static func attachment(_ attachment: JSONValue) -> String {
        let size = attachment["size"]?.integer ?? 0
        let received = attachment["received"]?.integer.map { ", \($0) there" } ?? ""
        let holds = (attachment["heldBy"]?.array ?? []).compactMap(\.string).joined(separator: ", ")
        let problem = attachment["problem"]?.string.map { ": \($0.printable)" } ?? ""
        return "  attachment \((attachment["name"]?.string ?? "-").printable)  \(size) bytes\(received)  "
            + "\(attachment["state"]?.string ?? "-")" + (holds.isEmpty ? "" : " by \(holds)") + problem
    }

    static func refusals(_ document: JSONValue) -> String {
        let rows = (document["items"]?.array ?? []).map { item in
            "\(item["id"]?.string ?? "-")  \(item["type"]?.string ?? "-")  \(item["state"]?.string ?? "-")  "
                + "\(item["orderNumber"]?.string ?? item["entityId"]?.string ?? "-")\n"
                + "    \((item["problem"]?["detail"]?.string ?? item["problem"]?.canonicalText ?? "-").printable)"
        }
        let held = (document["heldBack"]?.array ?? []).map { item in
            "\(item["id"]?.string ?? "-")  \(item["type"]?.string ?? "-")  held back  "
                + "\((item["orderNumber"]?.string ?? "-").printable)\n"
                + "    its content is not what was written; `pos sync retry` sends it as it is, and the hub flags it"
        }
        guard !rows.isEmpty || !held.isEmpty else { return "nothing was refused" }
        guard !rows.isEmpty else { return held.joined(separator: "\n") }
        let sums = (document["amounts"]?.array ?? []).map { money($0) }.joined(separator: ", ")
        let count = document["sales"]?.integer ?? 0
        let waiting =
            count == 0 ? [] : ["\(count == 1 ? "1 sale waits" : "\(count) sales wait") in it: \(sums)"]
        return (held + rows + waiting)
            .joined(separator: "\n")
    }

    static func orders(_ document: JSONValue) -> String {
        let rows = (document["orders"]?.array ?? []).map { order in
            let refunded = order["refunded"]?["amount"]?.integer ?? 0
            return "\(order["orderNumber"]?.string ?? "-")  \(money(order["total"]))  "
                + "\(order["mode"]?.string ?? "-")  \(order["state"]?.string ?? "-")  "
                + "\(order["sync"]?.string ?? "-")  \(order["orderId"]?.string ?? "-")"
                + (refunded == 0 ? "" : "  refunded \(money(order["refunded"]))")
        }
        return rows.isEmpty ? "no orders yet" : rows.joined(separator: "\n")
    }

    static func money(_ money: JSONValue?) -> String {
        guard let amount = money?["amount"]?.integer else { return "-" }
        return AmountText.money(amount, money?["currency"]?.string ?? "")
    }
}
