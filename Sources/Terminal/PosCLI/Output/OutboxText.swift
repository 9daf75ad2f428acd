internal import AgentAPI
internal import HubProtocol
internal import Agent

enum OutboxText {
    static func depth(_ counts: OutboxCounts, _ text: CheckoutText) -> String {
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

    static func items(_ outbox: OutboxResponse, _ text: CheckoutText) -> String {
        let rows = outbox.items.map { item in
            let waits = item.waitsForAttachments.count
            return "  \(item.sequence)  \(item.type)  \(item.state)"
                + text(", \(item.attempts) attempts", "，已试 \(item.attempts) 次")
                + (waits > 0 ? text(", waits for \(waits) attachments", "，等待 \(waits) 个附件") : "")
                + (item.problemText.map { ": \($0.printable)" } ?? "")
        }
        let version = schema(outbox.schema, text).map { [$0] } ?? []
        return
            ([depth(outbox.counts, text)] + version + rows + outbox.attachments.map { attachment($0, text) })
            .joined(separator: "\n")
    }

    /// How old prices and PINs are, and what stops newer ones.
    static func pull(_ pull: PullState, _ text: CheckoutText) -> String {
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
        _ schema: SchemaState, _ text: CheckoutText
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

    private static func attachment(_ state: AttachmentState, _ text: CheckoutText) -> String {
        let received = state.received.map { text(", \($0) there", "，已传 \($0)") } ?? ""
        let holds = state.heldBy.joined(separator: ", ")
        let problem = state.problem.map { ": \($0.printable)" } ?? ""
        let (name, size) = (state.attachment.name.printable, state.attachment.size)
        return text("  attachment \(name)  \(size) bytes", "  附件 \(name)  \(size) 字节") + "\(received)  "
            + state.state + (holds.isEmpty ? "" : text(" by \(holds)", "（\(holds)）")) + problem
    }

    static func refusals(_ response: RefusalListCall.Response, _ text: CheckoutText) -> String {
        let rows = response.items.map { item in
            "\(item.id)  \(item.type)  \(item.state)  \(item.orderNumber ?? item.entityId)\n"
                + "    \((item.problemText ?? "-").printable)"
        }
        let held = response.heldBack.map { item in
            "\(item.id)  \(item.type)  " + text("held back", "未上传")
                + "  \((item.orderNumber ?? "-").printable)\n    "
                + text(
                    "its content is not what was written; `pos sync retry` sends it as it is, and the hub flags it",
                    "内容与写入时不同；`pos sync retry` 将原样上传，总部会标记")
        }
        guard !rows.isEmpty || !held.isEmpty else { return text("nothing was refused", "没有被拒的单据") }
        guard !rows.isEmpty else { return held.joined(separator: "\n") }
        let sums = response.amounts.map(\.text).joined(separator: ", ")
        let count = response.sales
        let waiting =
            count == 0
            ? []
            : [
                text(
                    "\(count == 1 ? "1 sale waits" : "\(count) sales wait") in it: \(sums)",
                    "其中 \(count) 笔销售待处理：\(sums)")
            ]
        return (held + rows + waiting).joined(separator: "\n")
    }
}
