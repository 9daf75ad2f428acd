package import HubProtocol

/// Something that a person should look at.
package struct Alarm: Hashable, Sendable {
    /// The word of an ``AlarmKind``; one of a later version in a store that it wrote.
    package let kind: String
    /// The terminal, or the webhook, that it is about; within a day its repetitions are counted, not listed.
    package let terminalId: String
    /// The first mutation that it is about; nil for an alarm about no single one, such as
    /// `terminal_unconfirmed`.
    package let mutationId: String?
    /// For a person; no secret in it, and nothing that a terminal wrote.
    package let detail: String?
    /// Milliseconds since 1970.
    package let at: Int64

    /// Makes an alarm that was noticed at `at`, in milliseconds since 1970; by default it is about no
    /// mutation and has no detail.
    package init(
        kind: AlarmKind, terminalId: String, mutationId: String? = nil, detail: String? = nil, at: Int64
    ) {
        self.init(
            storedKind: kind.rawValue, terminalId: terminalId, mutationId: mutationId, detail: detail, at: at)
    }

    /// An alarm as a store holds it.
    package init(
        storedKind: String, terminalId: String, mutationId: String?, detail: String?, at: Int64
    ) {
        kind = storedKind
        self.terminalId = terminalId
        self.mutationId = mutationId
        self.detail = detail
        self.at = at
    }

    /// The days since 1970, in UTC: within one, the same alarm of a terminal is counted.
    package var day: Int64 { at / 86_400_000 }
}

/// An alarm with how often it was raised on its day.
package struct RaisedAlarm: Hashable, Sendable {
    /// The first one of the day.
    package let first: Alarm
    /// When it was raised last, in milliseconds since 1970.
    package let lastAt: Int64
    /// From 1 on.
    package let count: Int64

    /// Makes it from a row of the store; `first` and `lastAt` are on the same day in UTC.
    package init(first: Alarm, lastAt: Int64, count: Int64) {
        self.first = first
        self.lastAt = lastAt
        self.count = count
    }
}
