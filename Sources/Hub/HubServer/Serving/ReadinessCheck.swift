import Base

internal import OfflineCore

/// Whether the stores of this process take writes, checked at most once a second for any number of requests.
///
/// A request during a check waits for the same check, and never longer than ``longestWait``: a
/// store that does not respond is not ready.
actor ReadinessCheck {
    private let checks: [@Sendable () async throws -> Void]
    private let now: @Sendable () -> Instant
    private var known: (isReady: Bool, at: Instant)?
    /// When the check that runs began.
    private var checkingSince: Instant?
    private var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
    private var tickets = 0

    /// Probes come every few seconds. Halved, callers without a token cost the writer two transactions a
    /// second; doubled, a load balancer gets a fault a second later.
    private static let lifetime: Duration = .seconds(1)
    /// Less than the 5 s after which load balancers commonly give up; a healthy store responds in
    /// milliseconds.
    private static let longestWait: Duration = .seconds(2)

    init(_ checks: [@Sendable () async throws -> Void], now: @escaping @Sendable () -> Instant) {
        self.checks = checks
        self.now = now
    }

    func isReady() async -> Bool {
        if let known, now() - known.at < Self.lifetime { return known.isReady }
        if let checkingSince {
            guard now() - checkingSince < Self.longestWait else { return false }
        } else {
            checkingSince = now()
            Task { await self.check() }
        }
        tickets += 1
        let ticket = tickets
        return await withCheckedContinuation { continuation in
            waiting[ticket] = continuation
            Task {
                try? await Task.sleep(for: Self.longestWait)
                self.giveUp(ticket)
            }
        }
    }

    private func check() async {
        var isReady = true
        do {
            for check in checks { try await check() }
        } catch {
            isReady = false
        }
        known = (isReady, now())
        checkingSince = nil
        let queried = waiting.values
        waiting = [:]
        for continuation in queried { continuation.resume(returning: isReady) }
    }

    private func giveUp(_ ticket: Int) {
        waiting.removeValue(forKey: ticket)?.resume(returning: false)
    }
}
