internal import HubProtocol
internal import Pricing
internal import Terminal

/// The words for the outbox and the orders.
enum OutboxText {
    static func depth(_ outbox: JSONValue, _ text: CheckoutText = CheckoutText(isChinese: false)) -> String {
        guard let pending = outbox["pending"]?.integer else { return text("cannot be read", "无法读取") }
        let age = outbox["oldestAgeMs"]?.integer.map { $0 / 1000 }
        let rejected = outbox["rejected"]?.integer ?? 0
        let conflicted = outbox["conflicted"]?.integer ?? 0
        let through = outbox["acknowledgedThrough"]?.integer ?? 0
        return text("\(pending) pending", "\(pending) 笔待上传")
            + (age.map { text(", the oldest \($0) s old", "，最早一笔已等 \($0) 秒") } ?? "")
            + text(
                ", \(rejected) rejected, \(conflicted) in conflict, hub has all through \(through)",
                "，\(rejected) 笔被拒，\(conflicted) 笔冲突，总部已收到第 \(through) 笔及之前")
            + (outbox["retryAfterEndsAt"]?.string.map {
                text(", the hub asked to wait until \($0)", "，总部要求等到 \($0)")
            } ?? "")
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
    static func pull(
        _ catalogue: JSONValue?, _ text: CheckoutText = CheckoutText(isChinese: false)
    ) -> String {
        let age = catalogue?["ageMs"]?.integer.map { AgeText.text(milliseconds: $0) }
        var words =
            age.map { text("the last good pull of the catalogue is \($0) old", "上次成功更新距今 \($0)") }
            ?? text("the last good pull of the catalogue is still to come", "尚未成功更新过")
        if let problem = catalogue?["problem"]?.string {
            words += text(", the newest one failed: \(problem)", "，最近一次失败：\(problem)")
        }
        let skipped = catalogue?["skipped"]?.array ?? []
        if !skipped.isEmpty {
            words += text(
                ", \(skipped.count) rows passed over (`pos doctor` names them)",
                "，跳过 \(skipped.count) 行（`pos doctor` 列出）")
        }
        return words.printable
    }

    /// What the hub has against this version; nil for nothing.
    static func schema(
        _ schema: JSONValue?, _ text: CheckoutText = CheckoutText(isChinese: false)
    ) -> String? {
        switch schema?["state"]?.string {
        case "refused"?:
            return text(
                "stopped: the hub wants a newer version of this terminal; everything is kept",
                "已停止：总部要求更新版本；单据均已保留")
        case "retiring"?:
            let date = schema?["sunsetAt"]?.string?.prefix(10) ?? "-"
            return text(
                "warning: the hub answers this version until \(date); update before then",
                "注意：总部支持本版本至 \(date)，请在此之前升级")
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
