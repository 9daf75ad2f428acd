internal import HubProtocol
internal import OfflineCore

/// Writes a report of counts (http.md section 7).
extension QoSReport {
    /// - Parameter wallMilliseconds: turns a moment of the monotonic clock into Unix milliseconds.
    func json(wallMilliseconds: (Instant) -> Int64) -> JSONValue {
        [
            "windowStart": .string(Timestamp.text(milliseconds: wallMilliseconds(windowStart))),
            "windowEnd": .string(Timestamp.text(milliseconds: wallMilliseconds(windowEnd))),
            "services": .array(services.map(\.json)),
            "knownGeneration": .object(JSONObject(knownGeneration.mapValues(JSONValue.integer))),
        ]
    }
}

extension ServiceCounts {
    fileprivate var json: JSONValue {
        [
            "service": .string(service), "ok": .integer(Int64(ok)),
            "failed": [
                "timeout": .integer(Int64(timeout)), "http5xx": .integer(Int64(http5xx)),
                "connect": .integer(Int64(connect)), "tls": .integer(Int64(tls)), "dns": .integer(Int64(dns)),
            ],
        ]
    }
}
