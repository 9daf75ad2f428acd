internal import AgentAPI
internal import HubProtocol
internal import Agent

enum OutboxText {
    static func depth(_ counts: OutboxCounts, _ text: CheckoutText = CheckoutText(isChinese: false)) -> String
    {
        guard let pending = counts.pending else { return text("cannot be read", "无法读取") }
        let age = counts.oldestAgeMilliseconds.map { $0 / 1000 }
        let (rejected, conflicted) = (counts.rejected ?? 0, counts.conflicted ?? 0)
        let through = counts.acknowledgedThrough ?? 0
        return text("\(pending) pending", "\(pending) 笔待上传")
            + (age.map { text(", the oldest \($0) s old", "，最早一笔已等 \($0) 秒") } ?? "")
            + text(
                ", \(rejected) rejected, \(conflicted) in conflict, hub has all through \(through)",
                "，\(rejected) 笔被拒，\(conflicted) 笔冲突，总部已收到第 \(through) 笔及之前")
            + (counts.retryAfterEndsAt.map {
                text(", the hub asked to wait until \($0)", "，总部要求等到 \($0)")
            } ?? "")
    }

    static func items(_ outbox: OutboxResponse) -> String {
        let rows = outbox.items.map { item in
            let waits = item.waitsForAttachments.count
            return "  \(item.sequence)  \(item.type)  \(item.state), \(item.attempts) attempts"
                + (waits > 0 ? ", waits for \(waits) attachments" : "")
                + (item.problemText.map { ": \($0.printable)" } ?? "")
        }
        let version = schema(outbox.schema).map { [$0] } ?? []
        return ([depth(outbox.counts)] + version + rows + outbox.attachments.map(attachment))
            .joined(separator: "\n")
    }

    /// How old prices and PINs are, and what stops newer ones.
    static func pull(_ pull: PullState, _ text: CheckoutText = CheckoutText(isChinese: false)) -> String {
        let age = pull.ageMilliseconds.map { AgeText.text(milliseconds: $0) }
        var line =
            age.map { text("the last good pull of the catalogue is \($0) old", "上次成功更新距今 \($0)") }
            ?? text("the last good pull of the catalogue is still to come", "尚未成功更新过")
        if let problem = pull.problem {
            line += text(", the newest one failed: \(problem)", "，最近一次失败：\(problem)")
        }
        if !pull.skipped.isEmpty {
            line += text(
                ", \(pull.skipped.count) rows passed over (`pos doctor` names them)",
                "，跳过 \(pull.skipped.count) 行（`pos doctor` 列出）")
        }
        return line.printable
    }

    /// What the hub has against this version; nil for nothing.
    static func schema(
        _ schema: SchemaState, _ text: CheckoutText = CheckoutText(isChinese: false)
    ) -> String? {
        switch schema.state {
        case "refused":
            return text(
                "stopped: the hub wants a newer version of this terminal; everything is kept",
                "已停止：总部要求更新版本；单据均已保留")
        case "retiring":
            let date = schema.sunsetAt?.prefix(10) ?? "-"
            return text(
                "warning: the hub answers this version until \(date); update before then",
                "注意：总部支持本版本至 \(date)，请在此之前升级")
        default: return nil
        }
    }

    private static func attachment(_ state: AttachmentState) -> String {
        let received = state.received.map { ", \($0) there" } ?? ""
        let holds = state.heldBy.joined(separator: ", ")
        let problem = state.problem.map { ": \($0.printable)" } ?? ""
        return "  attachment \(state.attachment.name.printable)  \(state.attachment.size) bytes\(received)  "
            + state.state + (holds.isEmpty ? "" : " by \(holds)") + problem
    }

    static func refusals(_ response: RefusalListCall.Response) -> String {
        let rows = response.items.map { item in
            "\(item.id)  \(item.type)  \(item.state)  \(item.orderNumber ?? item.entityId)\n"
                + "    \((item.problemText ?? "-").printable)"
        }
        let held = response.heldBack.map { item in
            "\(item.id)  \(item.type)  held back  \((item.orderNumber ?? "-").printable)\n"
                + "    its content is not what was written; `pos sync retry` sends it as it is, and the hub flags it"
        }
        guard !rows.isEmpty || !held.isEmpty else { return "nothing was refused" }
        guard !rows.isEmpty else { return held.joined(separator: "\n") }
        let sums = response.amounts.map(\.text).joined(separator: ", ")
        let count = response.sales
        let waiting =
            count == 0 ? [] : ["\(count == 1 ? "1 sale waits" : "\(count) sales wait") in it: \(sums)"]
        return (held + rows + waiting).joined(separator: "\n")
    }
}
