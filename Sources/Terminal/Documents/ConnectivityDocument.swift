internal import HubProtocol
internal import OfflineCore

/// The `connectivity` object of the status and of telemetry.
struct ConnectivityDocument {
    let snapshot: ConnectivitySnapshot
    /// Turns a moment of the machine into Unix milliseconds.
    let wall: (Instant) -> Int64

    var json: JSONValue {
        [
            "state": .string(snapshot.state.rawValue), "transport": .string(snapshot.transport.rawValue),
            "isMetered": .bool(snapshot.isMetered), "isConstrained": .bool(snapshot.isConstrained),
            "latencyMs": JSONValue(snapshot.latencyMilliseconds),
            "lastInternetOkAt": snapshot.lastInternetOk.map(time) ?? .null,
            "lastBackendOkAt": snapshot.lastBackendOk.map(time) ?? .null,
            "captivePortalSuspected": .bool(snapshot.captivePortalSuspected),
            "reason": .string(snapshot.reason.rawValue),
            "coreCallsFail": .bool(snapshot.coreCallsFail),
            "rateLimitEndsAt": snapshot.rateLimitEnds.map(time) ?? .null,
        ]
    }

    private func time(_ instant: Instant) -> JSONValue {
        .string(Timestamp.text(milliseconds: wall(instant)))
    }
}
