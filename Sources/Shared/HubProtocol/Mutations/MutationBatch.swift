/// The body of `POST /v1/mutations/batch`: at most 200 mutations and 1 MiB.
public struct MutationBatch: Hashable, Sendable {
    /// The most mutations in one batch.
    public static let maximumCount = 200
    /// The largest body of any request but an attachment chunk, in bytes.
    public static let maximumBytes = 1 << 20

    /// In the order in which the hub processes them; the results come in the same order.
    public let mutations: [Mutation]
    /// The epoch of the terminal's journal: 1 at enrolment.
    public let epoch: Int64
    /// The smallest sequence without a result on the terminal's disk; nil when nothing waits.
    public let lowSequence: Int64?
    /// The report of ``TelemetryReport`` as sent; nil: none goes with this batch.
    public let telemetry: JSONValue?

    /// Makes a batch without a check of the limits; no telemetry by default.
    public init(mutations: [Mutation], epoch: Int64, lowSequence: Int64?, telemetry: JSONValue? = nil) {
        self.mutations = mutations
        self.epoch = epoch
        self.lowSequence = lowSequence
        self.telemetry = telemetry
    }

    /// The body without a head; ``JSONValue/with(_:)`` adds that. Nil members are left out.
    public var json: JSONValue {
        var members: JSONObject = [
            "mutations": .array(mutations.map(\.json)), "epoch": .integer(epoch),
        ]
        if let lowSequence { members["lowSequence"] = .integer(lowSequence) }
        if let telemetry { members["telemetry"] = telemetry }
        return .object(members)
    }
}

/// The response to a batch.
public struct MutationBatchResponse: Hashable, Sendable {
    /// One result per mutation, in the order sent.
    public let results: [MutationResult]
    /// The highest sequence such that it and all before it in its epoch have a result; 0 before the first.
    public let acknowledgedThrough: Int64
    /// Up to 1,000 sequences before the highest received that have no result.
    public let missing: [Int64]
    /// Whether the change feed has something new for this terminal alone, so that it pulls at once.
    public var feedMoved: Bool

    /// The name of ``feedMoved``, which the response to a single mutation may have too.
    public static let feedMovedKey = "feedMoved"

    /// Makes a response; `missing` is cut to 1,000 by the caller, and the feed has nothing new by default.
    public init(
        results: [MutationResult], acknowledgedThrough: Int64, missing: [Int64], feedMoved: Bool = false
    ) {
        self.results = results
        self.acknowledgedThrough = acknowledgedThrough
        self.missing = missing
        self.feedMoved = feedMoved
    }

    /// Reads the response; a missing `missing` is empty. Throws ``ShapeError`` if one result is malformed.
    public init(json: JSONValue) throws(ShapeError) {
        var results: [MutationResult] = []
        for element in try json.requiredArray("results") { results.append(try MutationResult(json: element)) }
        self.results = results
        acknowledgedThrough = try json.requiredInteger("acknowledgedThrough", in: 0...(1 << 53))
        missing = (json["missing"]?.array ?? []).compactMap(\.integer)
        feedMoved = json[Self.feedMovedKey] == true
    }

    /// `{"results","acknowledgedThrough","missing"}` (docs/reference/http.md, section 3), with `feedMoved`
    /// where that is true.
    public var json: JSONValue {
        var members: JSONObject = [
            "results": .array(results.map(\.json)), "acknowledgedThrough": .integer(acknowledgedThrough),
            "missing": .array(missing.map(JSONValue.integer)),
        ]
        if feedMoved { members[Self.feedMovedKey] = true }
        return .object(members)
    }
}
