internal import HubProtocol
internal import OfflineMode

/// The `outbox` object of the status.
struct OutboxDocument {
    let depth: OutboxDepth
    let wallNow: Int64
    /// The end of the hub's `Retry-After` in Unix milliseconds; nil while none holds.
    let retryAfterEnds: Int64?
    /// The path to the hub loses large packets.
    let losesLargePackets: Bool

    /// Of a database that cannot be read: nobody knows, and 0 would be a claim.
    static let unreadable: JSONValue = [
        "pending": .null, "oldestAgeMs": .null, "rejected": .null, "conflicted": .null,
        "acknowledgedThrough": .null, "largePacketsLost": .null, "retryAfterEndsAt": .null,
    ]

    var json: JSONValue { .object(members) }

    var members: JSONObject {
        [
            "pending": .integer(Int64(depth.pending)),
            "oldestAgeMs": JSONValue(depth.oldestMadeAt.map { max(0, wallNow - $0) }),
            "rejected": .integer(Int64(depth.rejected)), "conflicted": .integer(Int64(depth.conflicted)),
            "acknowledgedThrough": .integer(depth.acknowledgedThrough),
            "largePacketsLost": .bool(losesLargePackets),
            "retryAfterEndsAt": retryAfterEnds.map { .string(Timestamp.text(milliseconds: $0)) } ?? .null,
        ]
    }
}
