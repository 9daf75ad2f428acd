/// Which policy brings together which fields of which entity: the one table that the hub decides by and that
/// `docs/reference/merge-policies.md` shows.
public struct MergeRule: Hashable, Sendable {
    /// The entity as it is called in a mutation.
    public let entity: String
    /// The fields, or what of the entity is meant.
    public let fields: String
    public let policy: MergePolicy
    /// The mutation types that it decides.
    public let types: [String]
    /// Why this one.
    public let reason: String
}

/// Every rule.
public enum MergeTable {
    public static let rules = [
        MergeRule(
            entity: "order", fields: "lines, payments, totals, number", policy: .appendOnly,
            types: ["order.completed"], reason: "A finished sale is a fact; it is corrected by another one."),
        MergeRule(
            entity: "order", fields: "status", policy: .escalate, types: ["order.voided"],
            reason: "A status takes no step twice and none back."),
        MergeRule(
            entity: "refund, payment, shift, cash", fields: "all", policy: .appendOnly,
            types: [
                "refund.completed", "payment.captured", "payment.voided", "shift.opened", "shift.closed",
                "cash.moved",
            ], reason: "Money that moved has moved."),
        MergeRule(
            entity: "product", fields: "stock", policy: .commutativeDelta,
            types: ["order.completed", "order.voided", "refund.completed"],
            reason: "Two tills may sell the last piece; both did."),
        MergeRule(
            entity: "member", fields: "points", policy: .commutativeDelta, types: ["points.adjusted"],
            reason: "Points that were earned twice are two."),
        MergeRule(
            entity: "note", fields: "each field", policy: .lastWriterWins, types: ["note.upserted"],
            reason: "Little is lost when the later word stands."),
        MergeRule(
            entity: "note", fields: "deletion", policy: .escalate, types: ["note.deleted"],
            reason: "A deletion must not take an edit with it that its author has not seen."),
        MergeRule(
            entity: "member", fields: "name, phone and other scalars", policy: .lastWriterWins,
            types: ["member.created", "member.updated"], reason: "Little is lost when the later word stands."),
    ]

    /// The policies that decide a mutation of `type`.
    public static func policies(of type: String) -> Set<MergePolicy> {
        Set(rules.filter { $0.types.contains(type) }.map(\.policy))
    }

    /// The rules as rows of a Markdown table.
    public static var markdown: String {
        let rows = rules.map { rule in
            let types = rule.types.map { "`\($0)`" }.joined(separator: ", ")
            return
                "| \(rule.entity) | \(rule.fields) | `\(rule.policy.rawValue)` | \(types) | \(rule.reason) |"
        }
        return (["| entity | fields | policy | decides | why |", "| --- | --- | --- | --- | --- |"] + rows)
            .joined(separator: "\n")
    }
}
