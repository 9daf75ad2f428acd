/// The body of `POST /v1/mutations/batch`: at most 200 mutations and 1 MiB.
package struct MutationBatch: Hashable, Sendable {
    /// The most mutations in one batch.
    package static let maximumCount = 200
    /// The largest body of any request but an attachment chunk, in bytes.
    package static let maximumBytes = 1 << 20

    /// In the order in which the hub processes them; the results come in the same order.
    package let mutations: [Mutation]
    /// The epoch of the terminal's journal: 1 at enrolment.
    package let epoch: Int64
    /// The sequence at which that epoch began; nil: not known.
    package let epochStart: Int64?
    /// The smallest sequence without a result on the terminal's disk; nil when nothing waits.
    package let lowSequence: Int64?
    /// The report of ``TelemetryReport`` as sent; nil: none goes with this batch.
    package let telemetry: JSONValue?

    /// Makes a batch without a check of the limits; no start of the epoch and no telemetry by default.
    package init(
        mutations: [Mutation], epoch: Int64, epochStart: Int64? = nil, lowSequence: Int64?,
        telemetry: JSONValue? = nil
    ) {
        self.mutations = mutations
        self.epoch = epoch
        self.epochStart = epochStart
        self.lowSequence = lowSequence
        self.telemetry = telemetry
    }

    /// The body of entries that are inserted byte for byte as the journal has them, never encoded again.
    ///
    /// - Parameters:
    ///   - entries: canonical JSON, one mutation each.
    ///   - head: where the journal ends, signed; nil: none goes with it.
    package static func body(
        of entries: [[UInt8]], epoch: Int64, epochStart: Int64? = nil, lowSequence: Int64? = nil,
        telemetry: JSONValue? = nil, head: SignedHead? = nil
    ) -> [UInt8] {
        var body = Array("{\"epoch\":\(epoch),".utf8)
        body.reserveCapacity(entries.reduce(4_096) { $0 + $1.count + 1 })
        if let epochStart { body += Array("\"epochStart\":\(epochStart),".utf8) }
        if let lowSequence { body += Array("\"lowSequence\":\(lowSequence),".utf8) }
        if let head { body += Array("\"head\":".utf8) + head.json.canonicalBytes + [0x2C] }
        if let telemetry { body += Array("\"telemetry\":".utf8) + telemetry.canonicalBytes + [0x2C] }
        body += Array("\"mutations\":[".utf8)
        for (index, entry) in entries.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += entry
        }
        return body + Array("]}".utf8)
    }

    /// The body without a head; ``JSONValue/with(_:)`` adds that. Nil members are left out.
    package var json: JSONValue {
        var members: JSONObject = [
            "mutations": .array(mutations.map(\.json)), "epoch": .integer(epoch),
        ]
        if let epochStart { members["epochStart"] = .integer(epochStart) }
        if let lowSequence { members["lowSequence"] = .integer(lowSequence) }
        if let telemetry { members["telemetry"] = telemetry }
        return .object(members)
    }
}

package struct MutationBatchResponse: Hashable, Sendable {
    /// One result per mutation, in the order sent.
    package let results: [MutationResult]
    /// How far the journal has come at the hub, and what it lacks.
    package let extent: JournalExtent
    /// See ``JournalExtent/acknowledgedThrough``.
    package var acknowledgedThrough: Int64 { extent.acknowledgedThrough }
    /// See ``JournalExtent/missing``.
    package var missing: [Int64] { extent.missing }
    /// Whether the change feed has something new for this terminal alone, so that it pulls at once.
    package var feedMoved: Bool

    /// The name of ``feedMoved``, which the response to a single mutation may have too.
    package static let feedMovedKey = "feedMoved"

    /// Makes a response; `missing` is cut to 1,000 by the caller, and the feed has nothing new by default.
    package init(
        results: [MutationResult], acknowledgedThrough: Int64, missing: [Int64], feedMoved: Bool = false
    ) {
        self.init(
            results: results, JournalExtent(acknowledgedThrough: acknowledgedThrough, missing: missing),
            feedMoved: feedMoved)
    }

    /// Makes a response; the feed has nothing new by default.
    package init(results: [MutationResult], _ extent: JournalExtent, feedMoved: Bool = false) {
        self.results = results
        self.extent = extent
        self.feedMoved = feedMoved
    }

    /// Reads the response; a missing `missing` is empty. Throws ``ShapeError`` if one result is malformed.
    package init(json: JSONValue) throws(ShapeError) {
        var results: [MutationResult] = []
        for element in try json.requiredArray("results") { results.append(try MutationResult(json: element)) }
        self.results = results
        extent = try JournalExtent(json: json)
        feedMoved = json[Self.feedMovedKey] == true
    }

    /// `{"results"}` and the members of its extent (docs/reference/http.md, section 3), with `feedMoved`
    /// where that is true.
    package var json: JSONValue {
        var members = extent.members
        members["results"] = .array(results.map(\.json))
        if feedMoved { members[Self.feedMovedKey] = true }
        return .object(members)
    }
}
