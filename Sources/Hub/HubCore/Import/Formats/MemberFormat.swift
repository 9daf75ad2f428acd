import HubProtocol

/// Members. An empty field of a profile takes that field away; a column that the file does not have leaves it
/// as it is.
package struct MemberFormat: ImportFormat {
    /// `id`: a file withdraws a member by it.
    package static let idColumn = "id"
    /// The header line's names; `points` is the opening balance of a new member.
    package static let columns = ["id", "phone", "name", "points", "tier"]
    /// All but `id`; each line still needs a phone or a name.
    package static let optionalColumns: Set = ["phone", "name", "points", "tier"]

    private var ids = UniqueColumn("id")

    /// A format for one file that has not been read yet.
    package init() {}

    /// Throws ``CSVError`` for an id that an earlier line has, and for a member with neither phone nor name.
    package mutating func record(of row: ImportRow) throws(CSVError) -> MemberEntry {
        var profile = JSONObject()
        for column in ["phone", "name", "tier"] where row.has(column) {
            profile[column] = JSONValue(try row.optionalText(column, upTo: MemberRecord.longestField))
        }
        guard !row["phone"].isEmpty || !row["name"].isEmpty else {
            throw row.error("the member has neither a phone nor a name")
        }
        let id = try row.text("id")
        try ids.note(id, on: row)
        return MemberEntry(
            id: id, profile: profile,
            openingPoints: try row.optionalInteger("points", in: MemberRules.deltas) ?? 0)
    }
}
