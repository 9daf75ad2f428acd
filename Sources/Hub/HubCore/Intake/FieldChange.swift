public import HubProtocol

/// What a mutation writes of a note or of a member's profile.
public struct FieldChange: Hashable, Sendable {
    /// The fields that it carries; null for one that is taken away.
    public let fields: JSONValue
    /// Those of them that it writes; nil: all. The others are its author's state, travelling back as it came.
    public let changed: Set<String>?

    public init(fields: JSONValue, changed: Set<String>? = nil) {
        self.fields = fields
        self.changed = changed
    }

    /// Reads a payload.
    ///
    /// - Parameter others: members that are no fields either, besides `baseVersion` and `changed`.
    public init(payload: JSONValue, without others: [String] = []) throws(ShapeError) {
        changed = payload["changed"] == nil ? nil : Set(try payload.strings("changed"))
        var fields = payload.object ?? [:]
        for key in others + ["baseVersion", "changed"] { fields[key] = nil }
        self.fields = .object(fields)
    }
}
