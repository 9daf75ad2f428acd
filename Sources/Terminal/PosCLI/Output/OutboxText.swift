internal import AgentAPI
internal import HubProtocol
internal import OfflineCore
internal import Agent

enum OutboxText {
    static func depth(_ counts: OutboxCounts, _ text: any PosTexts) -> String {
        guard let pending = counts.pending else { return text.unreadable }
        let age = counts.oldestAgeMilliseconds.map { $0 / 1000 }
        let (rejected, conflicted) = (counts.rejected ?? 0, counts.conflicted ?? 0)
        let through = counts.acknowledgedThrough ?? 0
        let parts = [
            text.pending(pending),
            age.map { text.oldest(seconds: $0) },
            text.refusedCounts(rejected: rejected, conflicted: conflicted, through: through),
            counts.retryAfterEndsAt.map { text.hubWait(until: $0) },
        ]
        return parts.compactMap(\.self).joined(separator: text.comma)
    }

    static func items(_ outbox: OutboxResponse, _ text: any PosTexts) -> String {
        let rows = outbox.items.map { item in
            let waits = item.waitsForAttachments.count
            let parts = [
                text.word(item.state), text.attempts(item.attempts),
                waits > 0 ? text.waitsForAttachments(waits) : nil,
            ]
            return "  \(item.sequence)  \(item.type)  "
                + parts.compactMap(\.self).joined(separator: text.comma)
                + (item.problemText.map { ": \($0.printable)" } ?? "")
        }
        let version = schema(outbox.schema, text).map { [$0] } ?? []
        return
            ([depth(outbox.counts, text)] + version + rows + outbox.attachments.map { attachment($0, text) })
            .joined(separator: "\n")
    }

    /// How old prices and PINs are, and what stops newer ones.
    static func pull(_ pull: PullState, _ text: any PosTexts) -> String {
        let age = pull.ageMilliseconds.map { text.language.age(milliseconds: $0) }
        let skipped = pull.skipped.count
        let parts = [
            age.map { text.lastPull(age: $0) }
                ?? text.noPull,
            pull.problem.map { text.newestPullFailed($0) },
            skipped == 0
                ? nil
                : text.rowsSkipped(skipped),
        ]
        return parts.compactMap(\.self).joined(separator: text.comma).printable
    }

    /// What the hub has against this version; nil for nothing.
    static func schema(
        _ schema: SchemaState, _ text: any PosTexts
    ) -> String? {
        switch schema.state {
        case "refused":
            return text.versionRefused
        case "retiring":
            let date = schema.sunsetAt?.prefix(10) ?? "-"
            return text.versionRetires(on: date)
        default: return nil
        }
    }

    private static func attachment(_ state: AttachmentState, _ text: any PosTexts) -> String {
        let problem = state.problem.map { ": \($0.printable)" } ?? ""
        let (name, size) = (state.attachment.name.printable, state.attachment.size)
        let holds = state.heldBy.map { text.word($0.rawValue) }.joined(separator: ", ")
        let word = text.word(state.state)
        return "  " + text.attachment(name, bytes: size, received: state.received) + "  "
            + (holds.isEmpty ? word : text.heldBy(word, holds)) + problem
    }

    static func refusals(_ response: RefusalListCall.Response, _ text: any PosTexts) -> String {
        let rows = response.items.map { item in
            "\(item.id)  \(item.type)  \(text.word(item.state))  \(item.orderNumber ?? item.entityId)\n"
                + "    \((item.problemText ?? "-").printable)"
        }
        let held = response.heldBack.map { item in
            "\(item.id)  \(item.type)  " + text.heldBack
                + "  \((item.orderNumber ?? "-").printable)\n    "
                + text.heldBackMeans
        }
        guard !rows.isEmpty || !held.isEmpty else { return text.nothingRefused }
        guard !rows.isEmpty else { return held.joined(separator: "\n") }
        let sums = response.amounts.map(\.text).joined(separator: ", ")
        let count = response.sales
        let waiting =
            count == 0
            ? []
            : [
                text.salesWait(count, worth: sums)
            ]
        return (held + rows + waiting).joined(separator: "\n")
    }
}
