package import HubProtocol

/// A member of an import. The profile is written field by field, as a till's is. Points travel as differences
/// only, so those of the file are an opening balance: they are added once, to a member of whom the hub has no
/// profile yet.
package struct MemberEntry: Hashable, Sendable {
    /// Unique in the chain; 1 to 128 bytes in an import file.
    package let id: String
    /// Fields that are written; null for one that is taken away.
    package let profile: JSONObject
    /// Points that a new member begins with; 0 for none. They are left aside for a member with a profile.
    package let openingPoints: Int64

    package init(id: String, profile: JSONObject, openingPoints: Int64) {
        self.id = id
        self.profile = profile
        self.openingPoints = openingPoints
    }

    /// Reads what ``json`` wrote. Throws ``ShapeError`` for points outside ``MemberRules/deltas``.
    package init(json: JSONValue) throws(ShapeError) {
        id = try json.requiredString("id")
        profile = try json.requiredObject("profile").object ?? [:]
        openingPoints = try json.requiredInteger("openingPoints", in: MemberRules.deltas)
    }

    /// `{"id","profile","openingPoints"}`.
    package var json: JSONValue {
        [
            "id": .string(id), "profile": .object(profile), "openingPoints": .integer(openingPoints),
        ]
    }
}

extension MemberEntry: ImportedEntity {
    package var key: EntityKey { EntityKey("member", id) }

    /// Writes the profile field by field; the opening points count once. Throws ``ImportObjection`` if the
    /// sum leaves ``MemberState/range``.
    package func value(over known: JSONValue?) throws(ImportObjection) -> JSONValue {
        // Somebody who lists the id of a merged member wants a member of their own.
        let before = MemberState(MemberState(known).mergedInto == nil ? known : nil)
        let after = before.written(.object(profile))
        guard !before.isKnown else { return after.value }
        guard let opened = after.adjusted(by: openingPoints) else {
            throw ImportObjection("the points of the member \"\(id)\" come to more than can be counted")
        }
        return opened.value
    }
}
