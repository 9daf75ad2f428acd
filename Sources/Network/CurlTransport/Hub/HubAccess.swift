/// The terminal's credentials at the hub.
package struct HubAccess: Sendable {
    /// The present device token; nil before enrolment.
    package let token: @Sendable () async -> String?
    /// Gets and stores a new token; whether there is one now. Called after a 401, and never by two
    /// requests at a time.
    package let renew: @Sendable () async -> Bool

    /// `token` may be called at any time and from any task.
    package init(
        token: @escaping @Sendable () async -> String?, renew: @escaping @Sendable () async -> Bool
    ) {
        self.token = token
        self.renew = renew
    }

    /// No token: for enrolment.
    package static let none = HubAccess(token: { nil }, renew: { false })
}

/// Lets the requests that found the token expired at the same time share one renewal.
actor TokenRenewal {
    private let access: HubAccess
    private var running: Task<Bool, Never>?

    init(access: HubAccess) {
        self.access = access
    }

    /// Whether there is a token that differs from `refused`.
    func renew(refused: String?) async -> Bool {
        if let running { return await running.value }
        if let current = await access.token(), current != refused { return true }
        if let running { return await running.value }
        let task = Task { await access.renew() }
        running = task
        let renewed = await task.value
        running = nil
        return renewed
    }
}
