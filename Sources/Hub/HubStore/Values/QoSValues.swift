import Base
package import HubProtocol

/// An override for the chain that waits for a second operator.
package struct QoSProposal: Fact {
    /// A ULID: a second operator confirms what they saw, not what came in its place.
    package private(set) var id = ""
    /// The service's name in `config/core-apis.json`, for example `"order"`.
    package private(set) var service = ""
    /// `healthy`, `faulty` or `recovering`.
    package private(set) var state = ""
    /// The first operator's text; terminals get it.
    package private(set) var reason = ""
    /// The first operator.
    package private(set) var by = ""
    /// When the override would end, in milliseconds since 1970; nil: when it is taken back.
    package private(set) var until: Int64?
    /// From when on nobody can confirm it any more, in milliseconds since 1970.
    package private(set) var expiresAt: Int64 = 0

    /// How long a proposal waits: 30 min in milliseconds. A fault of half an hour was decided otherwise by
    /// then; with a few minutes the second operator would have to sit beside the first.
    package static let lifetime: Int64 = 30 * 60_000

    /// Makes a proposal; times are milliseconds since 1970.
    package init(
        id: String, service: String, state: String, reason: String, by: String, until: Int64?,
        expiresAt: Int64
    ) {
        self.id = id
        self.service = service
        self.state = state
        self.reason = reason
        self.by = by
        self.until = until
        self.expiresAt = expiresAt
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("by", &by)
        try m.moment("expiresAt", &expiresAt)
        try m.text("id", &id)
        try m.text("reason", &reason)
        try m.text("service", &service)
        try m.text("state", &state)
        try m.moment("until", &until, .optional.orNull)
    }
}

/// A state of a service that a process wants kept.
package struct QoSKeptDecision: Hashable, Sendable {
    /// The service's name in `config/core-apis.json`, for example `"order"`.
    package let service: String
    /// The generation that the process last read or wrote.
    package let previous: Int64
    /// The new one, later than ``previous``.
    package let generation: Int64
    /// The service's complete record as JSON; the store does not read it.
    package let state: JSONValue
    /// For the history, oldest first.
    package let changes: [JSONValue]

    /// Makes a decision; `generation` has to be later than `previous`.
    package init(
        service: String, previous: Int64, generation: Int64, state: JSONValue, changes: [JSONValue]
    ) {
        self.service = service
        self.previous = previous
        self.generation = generation
        self.state = state
        self.changes = changes
    }
}

/// What became of a decision at the store.
package enum QoSOutcome: Hashable, Sendable {
    case kept
    /// Another process was first; nothing was written. This is what it kept.
    case overtaken(by: QoSMemory.Kept)
}

/// What a terminal reported of one service, as processes of the hub pass it on.
package struct SharedReport: Hashable, Sendable {
    /// The service's name in `config/core-apis.json`, for example `"order"`.
    package let service: String
    /// The terminal that reported, by its token.
    package let terminalId: String
    /// The store that this terminal was enrolled for.
    package let storeId: String
    /// Requests that succeeded in the window.
    package let ok: Int64
    /// Requests that failed in the window, of every kind.
    package let failed: Int64
    /// When the window began at the terminal, in milliseconds since 1970; nil where it names no moment.
    package let windowStart: Int64?

    /// Makes a report; by default its window names no moment, so a repetition counts again.
    package init(
        service: String, terminalId: String, storeId: String, ok: Int64, failed: Int64,
        windowStart: Int64? = nil
    ) {
        self.service = service
        self.terminalId = terminalId
        self.storeId = storeId
        self.ok = ok
        self.failed = failed
        self.windowStart = windowStart
    }
}

/// What the QoS store remembers over a restart.
package struct QoSMemory: Hashable, Sendable {
    /// The id of this store's incarnation: another one for every new file.
    package let issuer: String
    /// The last generation and state by service.
    package let services: [String: Kept]

    /// The last decision on one service.
    package struct Kept: Hashable, Sendable {
        /// The generation that the next decision has to name as its previous one.
        package let generation: Int64
        /// The service's complete record as JSON, as a hub wrote it.
        package let state: JSONValue

        package init(generation: Int64, state: JSONValue) {
            self.generation = generation
            self.state = state
        }
    }

    /// Makes the memory; `services` is empty for a new store.
    package init(issuer: String, services: [String: Kept]) {
        self.issuer = issuer
        self.services = services
    }
}
