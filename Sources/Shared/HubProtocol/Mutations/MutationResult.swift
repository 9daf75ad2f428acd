/// The hub's result of one mutation (http.md section 3).
package struct MutationResult: Hashable, Sendable {
    /// What became of a mutation; the raw value is the text of `outcome`.
    package enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// Accepted now.
        case applied
        /// Accepted before; `result` holds the first response.
        case duplicate
        /// Cannot be accepted; a person edits or discards it.
        case rejected
        /// Collides with the hub's state under its merge policy.
        case conflict
        /// Waits for what it depends on. No result.
        case deferred
        /// The hub's passing trouble. No result.
        case retry

        /// Whether the outcome is final and takes the mutation out of the outbox.
        package var isFinal: Bool {
            switch self {
            case .applied, .duplicate, .rejected, .conflict: true
            case .deferred, .retry: false
            }
        }
    }

    /// The mutation's id, as it was sent.
    package let id: String
    /// Decides which other members ``json`` has.
    package let outcome: Outcome
    /// The whole result object: `hlc`, `receivedAt`, `flags`, `problem`, `serverState`, `retryAfterMs`, ….
    package let json: JSONValue

    /// Reads one element of `results`. Throws ``ShapeError`` for an outcome that this version does not have.
    package init(json: JSONValue) throws(ShapeError) {
        id = try json.requiredString("id")
        guard let outcome = Outcome(rawValue: try json.requiredString("outcome")) else {
            throw ShapeError(path: "outcome", expected: "a known outcome")
        }
        self.outcome = outcome
        self.json = json
    }

    /// Makes a result; `members` are those beside `id` and `outcome`, none by default.
    package init(id: String, outcome: Outcome, members: JSONObject = [:]) {
        self.id = id
        self.outcome = outcome
        var object = members
        object["id"] = .string(id)
        object["outcome"] = .string(outcome.rawValue)
        json = .object(object)
    }

    /// The problem document of a `rejected` or `conflict` result.
    package var problem: JSONValue? { json["problem"] }
    /// Milliseconds until a `retry` is accepted.
    package var retryAfterMilliseconds: Int64? { json["retryAfterMs"]?.integer }
}
