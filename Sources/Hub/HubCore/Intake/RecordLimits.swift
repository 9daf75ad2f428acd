package import HubProtocol

/// How large a record may be that terminals write and the change feed carries: what one of them writes
/// travels to every terminal that gets the record.
package struct RecordLimits: Hashable, Sendable {
    /// Of the record in canonical form.
    package let bytes: Int
    /// The most members that the record has at its top level.
    package let fields: Int
    /// As an objection names it.
    private let what: String

    /// A profile: name, phone, tier and some 20 fields of a shop's own take 1 to 2 KiB; a page of the feed
    /// holds 500 of the largest.
    package static let member = RecordLimits(bytes: 4 << 10, fields: 32, what: "A member's profile")
    /// A note: a text of up to 4,096 bytes, which can take two in canonical form where it is escaped, and
    /// its other fields.
    package static let note = RecordLimits(bytes: 12 << 10, fields: 32, what: "A note")

    /// What is too much about `record`, for a person; nil when it fits.
    package func objection(to record: JSONValue) -> String? {
        let count = record.object?.count ?? 0
        guard count <= fields, record.canonicalBytes.count <= bytes else {
            return "\(what) has at most \(fields) fields and \(bytes) bytes."
        }
        return nil
    }

    /// The same for a record that a change makes of another one. What was larger before this limit may
    /// change as long as it does not grow.
    package func objection(to record: JSONValue, growingFrom before: JSONValue?) -> String? {
        guard let objection = objection(to: record) else { return nil }
        guard let before, record.canonicalBytes.count <= before.canonicalBytes.count,
            record.object?.count ?? 0 <= before.object?.count ?? 0
        else { return objection }
        return nil
    }
}

/// What a mutation writes of a note or of a member's profile.
package struct FieldChange: Hashable, Sendable {
    /// The fields that it carries; null for one that is taken away.
    package let fields: JSONValue
    /// Those of them that it writes; nil: all. The others are its author's state, travelling back as it came.
    package let changed: Set<String>?

    /// Makes a change; by default it writes every field that it carries.
    package init(fields: JSONValue, changed: Set<String>? = nil) {
        self.fields = fields
        self.changed = changed
    }

    /// Reads a payload.
    ///
    /// - Parameter others: members that are no fields either, besides `baseVersion` and `changed`.
    package init(payload: JSONValue, without others: [String] = []) throws(ShapeError) {
        changed = payload["changed"] == nil ? nil : Set(try payload.strings("changed"))
        var fields = payload.object ?? [:]
        for key in others + ["baseVersion", "changed"] { fields[key] = nil }
        self.fields = .object(fields)
    }

    func without(_ key: String) -> FieldChange {
        var rest = fields.object ?? [:]
        rest[key] = nil
        return FieldChange(fields: .object(rest), changed: changed)
    }
}
