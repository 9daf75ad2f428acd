/// Something that a person should look at.
package struct Alarm: Hashable, Sendable {
    /// A stable name of the hub's own, never a text of a terminal.
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

    /// The kind of the alarm about a stored card payment that was refused when it was forwarded.
    package static let debtKind = "payment_forward_declined"

    /// Makes an alarm that was noticed at `at`, in milliseconds since 1970; by default it is about no
    /// mutation and has no detail.
    package init(
        kind: String, terminalId: String, mutationId: String? = nil, detail: String? = nil, at: Int64
    ) {
        self.kind = kind
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
