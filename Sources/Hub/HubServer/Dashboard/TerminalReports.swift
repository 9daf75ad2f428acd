internal import HubCore
internal import HubProtocol
internal import HubStore

/// What terminals reported of themselves, kept up to date by what came since the last reading: with a hundred
/// thousand of them a reading of all takes seconds.
struct TerminalReports: Sendable {
    /// What the pushes of a version of the program came to.
    struct Pushes: Hashable, Sendable {
        var attempts: Int64 = 0
        var successes: Int64 = 0
    }

    /// By terminal, the version that spoke last first.
    private var records: [String: [TelemetryRecord]] = [:]

    /// Telemetry is kept up to some seconds behind its arrival, and hubs of one database have clocks of their
    /// own; what is read twice does no harm.
    private static let overlap: Int64 = 10_000

    /// From which moment on reports have to be read again.
    ///
    /// - Parameter reading: the moment of the last one; nil before the first.
    static func place(behind reading: Int64?) -> Int64 { max(0, (reading ?? 0) - overlap) }

    /// - Returns: whether anything is new.
    mutating func take(_ arrived: [String: [TelemetryRecord]]) -> Bool {
        var hasChanged = false
        for (id, fresh) in arrived {
            let known = records[id] ?? []
            let others = known.filter { old in
                !fresh.contains { $0.report.appVersion == old.report.appVersion }
            }
            let next = Array((fresh + others).prefix(Int(TelemetryVersions.maximum)))
            guard next != known else { continue }
            records[id] = next
            hasChanged = true
        }
        return hasChanged
    }

    /// The last one of a terminal; nil where it never reported.
    func last(of id: String) -> TelemetryRecord? { records[id]?.first }

    /// By the version of the program; those that pushed.
    var pushes: [String: Pushes] {
        var sums: [String: Pushes] = [:]
        for record in records.values.joined() where record.attempts > 0 {
            sums[record.report.appVersion, default: Pushes()].attempts += record.attempts
            sums[record.report.appVersion, default: Pushes()].successes += record.successes
        }
        return sums
    }
}
