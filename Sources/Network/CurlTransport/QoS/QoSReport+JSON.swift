import Base

internal import HubProtocol
internal import OfflineCore

extension QoSReport {
    /// The report as it is sent.
    ///
    /// - Parameter wallMilliseconds: turns a moment of the monotonic clock into Unix milliseconds.
    func json(wallMilliseconds: (Instant) -> Int64) -> JSONValue {
        QoSReportShape(
            windowStart: wallMilliseconds(windowStart), windowEnd: wallMilliseconds(windowEnd),
            services: services.map { QoSReportShape.Counts($0) }, knownGeneration: knownGeneration
        ).json
    }
}

extension QoSReportShape.Counts {
    fileprivate init(_ counts: ServiceCounts) {
        self.init(
            service: counts.service, ok: Int64(counts.ok),
            failed: [
                "timeout": Int64(counts.timeout), "http5xx": Int64(counts.http5xx),
                "connect": Int64(counts.connect), "tls": Int64(counts.tls), "dns": Int64(counts.dns),
            ])
    }
}
