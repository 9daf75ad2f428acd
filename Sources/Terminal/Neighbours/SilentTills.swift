package import Base

internal import HubProtocol

/// Tills that let a request wait for its whole time: no sale waits for one of them twice in a row.
///
/// After the first time a hello is enough to request a till again: it was off, and is back. One that says
/// hello and lets the next request wait as well is not requested for a minute.
package struct SilentTills: Sendable {
    private struct Silence {
        let since: Instant
        let isRepeated: Bool
    }

    private var silences: [String: Silence] = [:]

    package init() {}

    package mutating func noteSilence(of till: String, at now: Instant) {
        let isRepeated = silences[till].map { now < $0.since + NeighbourLimits.silenceMemory * 2 } ?? false
        silences[till] = Silence(since: now, isRepeated: isRepeated)
    }

    package mutating func noteResponse(of till: String) { silences[till] = nil }

    /// - Parameter heardAt: the till's last hello; nil: it said none.
    package func isSilent(_ till: String, heardAt: Instant?, at now: Instant) -> Bool {
        guard let silence = silences[till] else { return false }
        if silence.isRepeated, now < silence.since + NeighbourLimits.silenceMemory { return true }
        return heardAt.map { $0 <= silence.since } ?? true
    }
}
