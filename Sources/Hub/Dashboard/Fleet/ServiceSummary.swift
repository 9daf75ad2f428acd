/// The state of a service in one scope.
package enum ServiceState: String, Hashable, Sendable {
    case faulty, recovering, healthy
}

/// An operator's decision on a service, in force or waiting; times are milliseconds since 1970.
package struct OverrideSummary: Hashable, Sendable {
    /// The service's name.
    package let service: String
    /// Nil for the chain.
    package let storeId: String?
    /// What terminals get.
    package let state: ServiceState
    /// The operator's text.
    package let reason: String
    /// Who made it.
    package let by: String
    /// Nil: until it is taken back.
    package let until: Int64?
    /// Of what waits for a second operator: its id and when it is over; nil for one in force.
    package let proposal: Waiting?

    /// What a form sends along of the override that its page showed. The end is left out: it is computed from
    /// two clocks, so that it moves by a moment.
    package var mark: String { "\(state.rawValue) \(by): \(reason)" }

    /// What a second operator confirms.
    package struct Waiting: Hashable, Sendable {
        /// The proposal's id.
        package let id: String
        /// Milliseconds since 1970.
        package let expiresAt: Int64

        package init(id: String, expiresAt: Int64) {
            self.id = id
            self.expiresAt = expiresAt
        }
    }

    package init(
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
package struct ServiceSummary: Hashable, Sendable {
    /// A scope that is not healthy.
    package struct Scope: Hashable, Sendable {
        /// `global`, `store` or `terminal`.
        package let scope: String
        /// The store's or terminal's id.
        package let subject: String
        package let state: ServiceState
        /// The evidence as one line.
        package let reason: String
        /// When the state began.
        package let since: Int64
        /// The terminals that failed: store, terminal, failed requests, all requests.
        package let failing: [Failing]

        package init(
            scope: String, subject: String, state: ServiceState, reason: String, since: Int64,
            failing: [Failing]
        ) {
            self.scope = scope
            self.subject = subject
            self.state = state
            self.reason = reason
            self.since = since
            self.failing = failing
        }
    }

    /// A terminal whose requests failed.
    package struct Failing: Hashable, Sendable {
        package let storeId: String
        package let terminalId: String
        /// Failed requests in the window.
        package let failed: Int64
        /// All requests in the window.
        package let all: Int64

        package init(storeId: String, terminalId: String, failed: Int64, all: Int64) {
            self.storeId = storeId
            self.terminalId = terminalId
            self.failed = failed
            self.all = all
        }
    }

    /// A change of the decision in one scope.
    package struct Change: Hashable, Sendable {
        /// When it was decided.
        package let at: Int64
        /// `global`, `store` or `terminal`.
        package let scope: String
        /// The store's or terminal's id.
        package let subject: String
        /// The state after it.
        package let state: ServiceState
        /// What decided.
        package let source: String
        /// Why.
        package let reason: String

        package init(
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
    package let name: String
    /// For the chain.
    package let state: ServiceState
    /// What decided: `reports`, `probe` or `operator`.
    package let source: String
    /// When the state began.
    package let since: Int64
    /// Nil for a healthy service.
    package let reason: String?
    /// Failed of a hundred requests in the last minute; nil without any.
    package let failedPercent: Int64?
    /// Every scope that is not healthy.
    package let scopes: [Scope]
    /// The chain's first, then stores.
    package let overrides: [OverrideSummary]
    /// What waits for a second operator.
    package let proposal: OverrideSummary?
    /// The newest first, ``historyLimit`` at most.
    package let history: [Change]

    /// Changes of a service that a page gets: a plot of a day shows them all but in the worst of hours.
    package static let historyLimit = 200

    package init(
        name: String, state: ServiceState, source: String, since: Int64, reason: String?,
        failedPercent: Int64?, scopes: [Scope], overrides: [OverrideSummary],
        proposal: OverrideSummary?, history: [Change]
    ) {
        self.name = name
        self.state = state
        self.source = source
        self.since = since
        self.reason = reason
        self.failedPercent = failedPercent
        self.scopes = scopes
        self.overrides = overrides
        self.proposal = proposal
        self.history = history
    }

    /// The worst state of any scope.
    package var worst: ServiceState {
        let states = [state] + scopes.map(\.state)
        return states.contains(.faulty) ? .faulty : states.contains(.recovering) ? .recovering : .healthy
    }
}
