import Base

internal import LinuxRuntime
internal import MachineRuntime
internal import OfflineCore

/// Whether the stores of this process take writes, checked at most once a second for any number of requests.
///
/// A request during a check waits for the same check, and never longer than ``longestWait``: a
/// store that does not respond is not ready.
actor ReadinessCheck {
    private let checks: [@Sendable () async throws -> Void]
    private let now: @Sendable () -> Instant
    private var known: (isReady: Bool, at: Instant)?
    /// The check that runs, and when it began.
    private var running: (check: Task<Bool, Never>, since: Instant)?

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
        if let running, now() - running.since >= Self.longestWait { return false }
        let check = running?.check ?? begin()
        let time = LinuxSystemTime()
        // Others wait for the same check, so it goes on when this wait ends.
        return await withDeadline(time.now() + Self.longestWait, on: time, cancels: false) {
            await check.value
        } ?? false
    }

    private func begin() -> Task<Bool, Never> {
        let check = Task { await self.check() }
        running = (check, now())
        return check
    }

    private func check() async -> Bool {
        var isReady = true
        do {
            for check in checks { try await check() }
        } catch {
            isReady = false
        }
        known = (isReady, now())
        running = nil
        return isReady
    }
}
