public import HubProtocol

/// A member of an import. The profile is written field by field, as a till's is. Points travel as differences
/// only, so those of the file are an opening balance: they are added once, to a member of whom the hub has no
/// profile yet.
public struct MemberEntry: Hashable, Sendable {
    public let id: String
    /// Fields that are written; null for one that is taken away.
    public let profile: JSONObject
    public let openingPoints: Int64

    public init(id: String, profile: JSONObject, openingPoints: Int64) {
        self.id = id
        self.profile = profile
        self.openingPoints = openingPoints
    }

    public init(json: JSONValue) throws(ShapeError) {
        id = try json.requiredString("id")
        profile = try json.requiredObject("profile").object ?? [:]
        openingPoints = try json.requiredInteger("openingPoints", in: MemberRules.deltas)
    }

    public var json: JSONValue {
        [
            "id": .string(id), "profile": .object(profile), "openingPoints": .integer(openingPoints),
        ]
    }
}

extension MemberEntry: ImportedEntity {
    public var key: EntityKey { EntityKey("member", id) }

    public func value(over known: JSONValue?) throws(ImportObjection) -> JSONValue {
        let before = MemberState(known)
        let after = before.written(.object(profile))
        guard !before.isKnown else { return after.value }
        guard let opened = after.adjusted(by: openingPoints) else {
            throw ImportObjection("the points of the member \"\(id)\" come to more than can be counted")
        }
        return opened.value
    }
}
