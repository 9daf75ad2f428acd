/// Which policy brings together which fields of which entity: the one table that the hub decides by and that
/// `docs/reference/merge-policies.md` shows.
package struct MergeRule: Hashable, Sendable {
    /// The entity as it is called in a mutation.
    package let entity: String
    /// The fields, or what of the entity is meant.
    package let fields: String
    /// The policy by its name in docs/reference/http.md, for example `append_only`.
    package let policy: MergePolicy
    /// The mutation types that it decides.
    package let types: [String]
    /// Why this one.
    package let reason: String
    /// What this hub does by it today.
    package let effect: String
}

package enum MergeTable {
    /// In the order of `docs/reference/merge-policies.md`; an entity may have several rows.
    package static let rules = [
        MergeRule(
            entity: "order", fields: "lines, payments, totals, number", policy: .appendOnly,
            types: ["order.completed"], reason: "A finished sale is a fact; it is corrected by another one.",
            effect: "a second mutation of the same order by its device is a conflict"),
        MergeRule(
            entity: "order", fields: "status", policy: .escalate, types: ["order.voided"],
            reason: "A status takes no step twice and none back.",
            effect:
                "a second void is a conflict, and one of a sale that was refunded; one by a terminal of another "
                + "store is rejected; one of a sale that the hub does not have is flagged and moves no stock"),
        MergeRule(
            entity: "order", fields: "what came back of it", policy: .escalate, types: ["refund.completed"],
            reason: "Of a sale no more comes back than went out, whichever tills gave it.",
            effect:
                "a refund of more money or goods than is left, or of a voided sale, is a conflict; one by a "
                + "terminal of another store is rejected; one of a sale that the hub does not have is flagged "
                + "and moves no stock"),
        MergeRule(
            entity: "refund", fields: "all", policy: .appendOnly, types: ["refund.completed"],
            reason: "Money that moved has moved.",
            effect: "the same refund under another key is a conflict"),
        MergeRule(
            entity: "payment", fields: "all", policy: .appendOnly,
            types: ["payment.captured", "payment.voided"], reason: "Money that moved has moved.",
            effect: "kept in the journal as it came; an authorisation is captured or voided once"),
        MergeRule(
            entity: "payment", fields: "what it paid", policy: .escalate, types: ["payment.voided"],
            reason: "A sale that stands keeps its money.",
            effect: "a void of a payment of an accepted sale that is not voided is a conflict"),
        MergeRule(
            entity: "shift, cash", fields: "all", policy: .appendOnly,
            types: ["shift.opened", "shift.closed", "cash.moved"], reason: "What was counted was counted.",
            effect:
                "kept in the journal as it came; the hub compares the sums of a closed shift with its own, and "
                + "signs a statement or calls the shift disputed"),
        MergeRule(
            entity: "product", fields: "stock", policy: .commutativeDelta,
            types: ["order.completed", "order.voided", "refund.completed"],
            reason: "Two tills may sell the last piece; both did.",
            effect: "added up; below zero it is flagged"),
        MergeRule(
            entity: "member", fields: "points", policy: .commutativeDelta,
            types: ["points.adjusted", "order.completed", "order.voided", "refund.completed"],
            reason: "Points that were earned twice are two.",
            effect:
                "added up in the member's `points` in the change feed, and given back by voids and refunds as "
                + "the hub has the sale; below zero it is flagged, and so is "
                + "somebody of whom nothing else is known; a sum past 2⁵³ is rejected, and so is an amount past "
                + "`limits.pointsPerMutation`; past `limits.pointsPerDay` of a terminal it waits (`retry`), "
                + "while a sale that moves more than that beyond its store's scheme and its leases moves none "
                + "(`points_limit`); what a sale earns past the measure of its business day waits for a person "
                + "(`points_held`)"),
        MergeRule(
            entity: "coupon", fields: "uses", policy: .commutativeDelta,
            types: ["order.completed", "order.voided", "coupon.redeemed"],
            reason: "Two tills without the hub may take the last use; both did.",
            effect:
                "added up in the coupon's `uses` in the change feed of every store, once for each sale, and "
                + "given back with a void; more than `maxUses` is flagged, and so is a coupon that the hub does "
                + "not know, of which nothing is counted"),
        MergeRule(
            entity: "note", fields: "each field", policy: .lastWriterWins, types: ["note.upserted"],
            reason: "Little is lost when the later value stays.",
            effect: "merged into the change feed; more than 32 fields or 12 KiB in all is rejected"),
        MergeRule(
            entity: "note", fields: "deletion", policy: .escalate, types: ["note.deleted"],
            reason: "A deletion must not take an edit with it that its author has not seen.",
            effect: "a deletion on an older version is a conflict, and an edit of what was deleted"),
        MergeRule(
            entity: "member", fields: "name, phone and other scalars", policy: .lastWriterWins,
            types: ["member.created", "member.updated"], reason: "Little is lost when the later value stays.",
            effect:
                "merged into the change feed of every store; `points` in it are left aside and flagged; more "
                + "than 32 fields or 4 KiB in all is rejected"),
    ]

    /// The policies that decide a mutation of `type`.
    package static func policies(of type: String) -> Set<MergePolicy> {
        Set(rules.filter { $0.types.contains(type) }.map(\.policy))
    }

    /// The rules as rows of a Markdown table.
    package static var markdown: String {
        let rows = rules.map { rule in
            let types = rule.types.map { "`\($0)`" }.joined(separator: ", ")
            return
                "| \(rule.entity) | \(rule.fields) | `\(rule.policy.rawValue)` | \(types) | \(rule.reason) "
                + "| \(rule.effect) |"
        }
        return
            ([
                "| entity | fields | policy | decides | why | what this hub does |",
                "| --- | --- | --- | --- | --- | --- |",
            ] + rows)
            .joined(separator: "\n")
    }
}

/// How the hub brings a change together with what it has, by the name that travels in a `conflict`
/// (http.md section 3).
package enum MergePolicy: String, Hashable, Sendable, CaseIterable {
    /// Never changed after it was accepted; the same id with other content is a conflict.
    case appendOnly = "append_only"
    /// Only differences travel, so their order does not matter.
    case commutativeDelta = "commutative_delta"
    /// Each field keeps the value of its last writer, by the hub's hybrid logical clock.
    case lastWriterWins = "lww_server_hlc"
    /// A stale change is a conflict that a person decides.
    case escalate
}
