/// What the hub reports about one mutation: a result object, or the problem document of a single push with
/// the members of a result in it (http.md section 3).
///
/// A `duplicate` repeats the hub's first response in its member `result`. The members here are those of that
/// first response; no other code looks into `result`. Members that are missing or have another type are nil:
/// rows on disk come from hubs of every version.
package struct MutationResponse: Hashable, Sendable {
    package let id: String?
    /// Nil also for an outcome that this version does not know.
    package let outcome: MutationResult.Outcome?
    /// The hub's hybrid logical clock when it applied the mutation.
    package let hlc: String?
    /// The merge policy of a conflict.
    package let policy: String?
    /// Why the hub refused: the member `problem` of a result, or the problem document itself.
    package let problem: JSONValue
    /// What the hub has instead, for a conflict.
    package let serverState: JSONValue?
    /// The ids of the attachments and mutations that a deferred mutation waits for.
    package let waitsFor: [String]

    /// - Parameter document: a result object or a problem document, as received or as stored.
    package init(_ document: JSONValue) {
        let first = document["result"] ?? document
        id = first["id"]?.string
        outcome = first["outcome"]?.string.flatMap(MutationResult.Outcome.init(rawValue:))
        hlc = first["hlc"]?.string
        policy = first["policy"]?.string
        problem = first["problem"] ?? first
        serverState = first["serverState"]
        waitsFor = (first["waitsFor"]?.array ?? []).compactMap(\.string)
    }

    /// - Parameter text: JSON as the terminal's journal stores it; nil for a text that is not JSON, such as
    ///   the note about a request that the hub refused as a whole.
    package init?(stored text: String) {
        guard let document = try? JSONParser.parse(text.utf8) else { return nil }
        self.init(document)
    }
}
