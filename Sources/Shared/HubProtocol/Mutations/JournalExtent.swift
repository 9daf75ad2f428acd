/// How far a terminal's journal has come at the hub, and what the hub lacks of it: part of the response to
/// every push.
package struct JournalExtent: Hashable, Sendable {
    /// The highest sequence such that it and all before it in its epoch have a result; 0 before the first.
    package var acknowledgedThrough: Int64
    /// Up to 1,000 sequences without a result that the terminal has given, or says that it has given.
    package var missing: [Int64]
    /// Epochs before the present one of which the hub has no entry; at most 100.
    package var missingEpochs: [Int64]
    /// Entries of earlier epochs that the hub does not have: ends that the terminal named, and those before
    /// an entry that is there.
    package var missingHeads: [JournalMark]

    /// Makes an extent; by default nothing is missing.
    package init(
        acknowledgedThrough: Int64, missing: [Int64] = [], missingEpochs: [Int64] = [],
        missingHeads: [JournalMark] = []
    ) {
        self.acknowledgedThrough = acknowledgedThrough
        self.missing = missing
        self.missingEpochs = missingEpochs
        self.missingHeads = missingHeads
    }

    /// Reads the members of a response; everything but `acknowledgedThrough` may be missing, and a head that
    /// cannot be read is left out.
    package init(json: JSONValue) throws(ShapeError) {
        acknowledgedThrough = try json.requiredInteger("acknowledgedThrough", in: 0...(1 << 53))
        missing = (json["missing"]?.array ?? []).compactMap(\.integer)
        missingEpochs = (json["missingEpochs"]?.array ?? []).compactMap(\.integer)
        missingHeads = (json["missingHeads"]?.array ?? []).compactMap { try? JournalMark(json: $0) }
    }

    /// `{"acknowledgedThrough","missing"}`, with `missingEpochs` and `missingHeads` where there are any.
    package var members: JSONObject {
        var members: JSONObject = [
            "acknowledgedThrough": .integer(acknowledgedThrough),
            "missing": .array(missing.map(JSONValue.integer)),
        ]
        if !missingEpochs.isEmpty { members["missingEpochs"] = .array(missingEpochs.map(JSONValue.integer)) }
        if !missingHeads.isEmpty { members["missingHeads"] = .array(missingHeads.map(\.json)) }
        return members
    }
}
