/// The state of a service in one scope.
public enum ServiceState: String, Hashable, Sendable {
    case faulty, recovering, healthy
}

/// An operator's decision on a service, in force or waiting; times are milliseconds since 1970.
public struct OverrideSummary: Hashable, Sendable {
    /// The service's name.
    public let service: String
    /// Nil for the chain.
    public let storeId: String?
    /// What terminals get.
    public let state: ServiceState
    /// The operator's text.
    public let reason: String
    /// Who made it.
    public let by: String
    /// Nil: until it is taken back.
    public let until: Int64?
    /// Of what waits for a second operator: its id and when it is over; nil for one in force.
    public let proposal: Waiting?

    /// What a second operator confirms.
    public struct Waiting: Hashable, Sendable {
        /// The proposal's id.
        public let id: String
        /// Milliseconds since 1970.
        public let expiresAt: Int64

        /// Makes it.
        public init(id: String, expiresAt: Int64) {
            self.id = id
            self.expiresAt = expiresAt
        }
    }

    /// Makes a decision.
    public init(
        service: String, storeId: String?, state: ServiceState, reason: String, by: String, until: Int64?,
        proposal: Waiting? = nil
    ) {
        self.service = service
        self.storeId = storeId
        self.state = state
        self.reason = reason
        self.by = by
        self.until = until
        self.proposal = proposal
    }
}

/// A service as operators see it; times are milliseconds since 1970.
public struct ServiceSummary: Hashable, Sendable {
    /// A scope that is not healthy.
    public struct Scope: Hashable, Sendable {
        /// `global`, `store` or `terminal`.
        public let scope: String
        /// The store's or terminal's id.
        public let subject: String
        /// Its state.
        public let state: ServiceState
        /// What decided.
        public let source: String
        /// The evidence as one line.
        public let reason: String
        /// When the state began.
        public let since: Int64
        /// The terminals that failed: store, terminal, failed requests, all requests.
        public let failing: [Failing]

        /// Makes a scope.
        public init(
            scope: String, subject: String, state: ServiceState, source: String, reason: String, since: Int64,
            failing: [Failing]
        ) {
            self.scope = scope
            self.subject = subject
            self.state = state
            self.source = source
            self.reason = reason
            self.since = since
            self.failing = failing
        }
    }

    /// A terminal whose requests failed.
    public struct Failing: Hashable, Sendable {
        /// Its store.
        public let storeId: String
        /// Its id.
        public let terminalId: String
        /// Failed requests in the window.
        public let failed: Int64
        /// All requests in the window.
        public let all: Int64

        /// Makes it.
        public init(storeId: String, terminalId: String, failed: Int64, all: Int64) {
            self.storeId = storeId
            self.terminalId = terminalId
            self.failed = failed
            self.all = all
        }
    }

    /// A change of the decision in one scope.
    public struct Change: Hashable, Sendable {
        /// When it was decided.
        public let at: Int64
        /// `global`, `store` or `terminal`.
        public let scope: String
        /// The store's or terminal's id.
        public let subject: String
        /// The state after it.
        public let state: ServiceState
        /// What decided.
        public let source: String
        /// Why.
        public let reason: String

        /// Makes a change.
        public init(
            at: Int64, scope: String, subject: String, state: ServiceState, source: String, reason: String
        ) {
            self.at = at
            self.scope = scope
            self.subject = subject
            self.state = state
            self.source = source
            self.reason = reason
        }
    }

    /// The service's name, for example `order`.
    public let name: String
    /// For the chain.
    public let state: ServiceState
    /// What decided: `reports`, `probe` or `operator`.
    public let source: String
    /// When the state began.
    public let since: Int64
    /// Nil for a healthy service.
    public let reason: String?
    /// Failed of a hundred requests in the last minute; nil without any.
    public let failedPercent: Int64?
    /// Terminals that reported in the last minute.
    public let terminals: Int64
    /// Every scope that is not healthy.
    public let scopes: [Scope]
    /// The chain's first, then stores.
    public let overrides: [OverrideSummary]
    /// What waits for a second operator.
    public let proposal: OverrideSummary?
    /// The newest first.
    public let history: [Change]

    /// Makes a service.
    public init(
        name: String, state: ServiceState, source: String, since: Int64, reason: String?,
        failedPercent: Int64?, terminals: Int64, scopes: [Scope], overrides: [OverrideSummary],
        proposal: OverrideSummary?, history: [Change]
    ) {
        self.name = name
        self.state = state
        self.source = source
        self.since = since
        self.reason = reason
        self.failedPercent = failedPercent
        self.terminals = terminals
        self.scopes = scopes
        self.overrides = overrides
        self.proposal = proposal
        self.history = history
    }

    /// The worst state of any scope.
    public var worst: ServiceState {
        let states = [state] + scopes.map(\.state)
        return states.contains(.faulty) ? .faulty : states.contains(.recovering) ? .recovering : .healthy
    }
}
