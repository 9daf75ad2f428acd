import Base

/// Requests that wait for a response while it is undecided whether the network or the service is at fault.
///
/// The network detector's confirmation round decides: when it fails, the stall is evidence on the network;
/// when it succeeds, on the service. Each request counts once, though it is reported as stalled and as ended.
struct StallLedger: Hashable, Codable, Sendable {
    private struct Entry: Hashable, Codable, Sendable {
        let api: APIRoute
        let startedAt: Instant
        var isBooked: Bool
        var hasEnded: Bool
    }

    /// More stalled requests than a terminal ever has in flight; the oldest is dropped first.
    private static let capacity = 16
    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// The request stalls, undecided until the round ends.
    mutating func stalled(_ api: APIRoute, startedAt: Instant) {
        append(Entry(api: api, startedAt: startedAt, isBooked: false, hasEnded: false))
    }

    /// The request ended without a byte.
    ///
    /// - Returns: false when its stall was reported before.
    mutating func endedSilently(_ api: APIRoute, startedAt: Instant) -> Bool {
        guard let index = index(of: api, startedAt) else {
            append(Entry(api: api, startedAt: startedAt, isBooked: false, hasEnded: true))
            return true
        }
        if entries[index].isBooked {
            entries.remove(at: index)
        } else {
            entries[index].hasEnded = true
        }
        return false
    }

    /// The request ended with an outcome of its own, which counts instead.
    mutating func endedOtherwise(_ api: APIRoute, startedAt: Instant) {
        guard let index = index(of: api, startedAt) else { return }
        entries.remove(at: index)
    }

    /// The round is decided.
    ///
    /// - Returns: the requests to count now, oldest first.
    mutating func decide() -> [APIRoute] {
        let undecided = entries.filter { !$0.isBooked }.map(\.api)
        entries.removeAll { $0.hasEnded }
        for index in entries.indices { entries[index].isBooked = true }
        return undecided
    }

    private func index(of api: APIRoute, _ startedAt: Instant) -> Int? {
        entries.firstIndex { $0.startedAt == startedAt && $0.api == api }
    }

    private mutating func append(_ entry: Entry) {
        if entries.count == Self.capacity { entries.removeFirst() }
        entries.append(entry)
    }
}
