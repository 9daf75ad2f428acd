internal import HubProtocol
internal import OfflineCore

/// What sync may do now, for the status.
struct PolicyDocument {
    let policy: SyncPolicy

    var json: JSONValue {
        var members: JSONObject = [:]
        for activity in SyncActivity.allCases {
            let obstacles = policy.obstacles(to: activity)
            members[activity.rawValue] = [
                "allowed": .bool(obstacles.isEmpty),
                "heldBy": .array(obstacles.map { .string($0.rawValue) }),
            ]
        }
        members["smallBatches"] = .bool(policy.usesSmallBatches)
        return .object(members)
    }
}
