import Base

internal import HubCore
internal import HubProtocol
internal import OfflineCore

/// Which decisions the terminals follow, as far as their own requests show it: a poll with the tag of a
/// response, or a report with the generations that it knows.
struct QoSFollowers {
    private struct Entry {
        var storeId: String
        /// Milliseconds since 1970.
        var seenAt: Int64
        /// The generations that the terminal named itself, by service.
        var confirmed: [String: Int64] = [:]
        /// The generations of the last response to it.
        var sent: [String: Int64] = [:]
    }

    private var entries: [String: Entry] = [:]

    /// Some 600 bytes each: what a hub's process may serve, twice over. More are not remembered.
    private static let maximum = 200_000

    /// A response went to a terminal.
    ///
    /// - Parameters:
    ///   - generations: those of the response, by service.
    ///   - confirmed: those that the terminal named.
    ///   - now: milliseconds since 1970.
    mutating func note(
        _ reporter: QoSReporter, sent generations: [String: Int64], confirmed: [String: Int64], at now: Int64
    ) {
        var entry = entries[reporter.terminalId] ?? Entry(storeId: reporter.storeId, seenAt: now)
        guard entries.count < Self.maximum || entries[reporter.terminalId] != nil else { return }
        (entry.storeId, entry.seenAt) = (reporter.storeId, now)
        entry.sent.merge(generations) { $1 }
        entry.confirmed.merge(confirmed) { $1 }
        entries[reporter.terminalId] = entry
    }

    /// Every terminal, by store and id, with what it follows beside what the hub decides for it.
    ///
    /// - Parameter decision: the hub's decision on a service for a terminal; nil for an unknown service.
    func document(_ decision: (_ service: String, _ reporter: QoSReporter) -> QoSDecision?) -> JSONValue {
        let ordered = entries.sorted { ($0.value.storeId, $0.key) < ($1.value.storeId, $1.key) }
        return .array(
            ordered.map { id, entry in
                let reporter = QoSReporter(terminalId: id, storeId: entry.storeId)
                var (isOld, isUnconfirmed) = (false, false)
                let services = entry.sent.keys.sorted().compactMap { service -> JSONValue? in
                    guard let decision = decision(service, reporter) else { return nil }
                    let follows = entry.confirmed[service]
                    if follows != decision.generation {
                        isUnconfirmed = isUnconfirmed || entry.sent[service] == decision.generation
                        isOld = isOld || entry.sent[service] != decision.generation
                    }
                    return [
                        "service": .string(service), "state": .string(decision.state.rawValue),
                        "generation": .integer(decision.generation), "follows": JSONValue(follows),
                    ]
                }
                return [
                    "terminalId": .string(id), "storeId": .string(entry.storeId),
                    "seenAt": .string(Timestamp.text(milliseconds: entry.seenAt)),
                    "agrees": isOld ? false : isUnconfirmed ? .null : true, "services": .array(services),
                ]
            })
    }
}
