internal import Base
internal import HubCore
internal import HubProtocol
internal import HubStore
internal import Logging
internal import ServiceLifecycle
internal import Synchronization

/// Countersigns the shifts of the terminals: as soon as a push brings the last entry of one, and every few
/// seconds what a push left, another hub, or one that ended in between.
final class ShiftBook: Sendable {
    private let comparing: ShiftComparing
    private let keys: HubKeys
    private let now: @Sendable () -> Int64
    private let logger: Logger
    private let state = Mutex(State())

    private struct State {
        /// Terminals with a closed shift that waits, as far as this process has seen.
        var waiting: Set<String> = []
        var budget = ComparisonBudget()
        /// The last terminal of the round before, where that did not come to the end.
        var place = ""
    }

    init(
        ledger: any Ledger, keys: HubKeys, now: @escaping @Sendable () -> Int64,
        logger: Logger
    ) {
        comparing = ShiftComparing(ledger)
        self.keys = keys
        self.now = now
        self.logger = logger
    }

    /// Looks at the shifts of a terminal whose push was accepted. What is past the terminal's budget waits
    /// for ``lookAtAll()``.
    ///
    /// - Returns: whether the feed has a new statement for it.
    func look(after push: IntakeRequest, _ results: [MutationResult]) async -> Bool {
        let terminalId = push.device.terminalId
        let applied = zip(push.mutations, results).filter { $1.outcome == .applied }.map(\.0)
        let isWaiting = state.withLock { state in
            if applied.contains(where: { $0.type == ShiftClosing.type }) {
                state.waiting.insert(terminalId)
            }
            return state.waiting.contains(terminalId)
        }
        guard isWaiting else { return false }
        do {
            var hasSettled = false
            for shift in try await comparing.ready(of: terminalId) {
                guard let parts = try await comparing.parts(of: shift), isAffordable(parts, to: terminalId)
                else { continue }
                if try await settle(shift, parts) { hasSettled = true }
            }
            if hasSettled, try await !comparing.isWaiting(terminalId) {
                _ = state.withLock { $0.waiting.remove(terminalId) }
            }
            return hasSettled
        } catch {
            logger.warning("shifts were not compared", metadata: ["reason": "\(error)"])
            return false
        }
    }

    private func isAffordable(_ parts: [ShiftComparison.Part], to terminalId: String) -> Bool {
        let (entries, now) = (parts.reduce(0) { $0 + $1.count }, now())
        return state.withLock { $0.budget.take(entries, of: terminalId, at: now) }
    }

    /// Entries that one round of ``lookAtAll()`` reads: some seconds of one connection at most. Half of it
    /// leaves more of a bad day to later rounds, twice of it takes most of the time between two.
    private static let entriesOfRound: Int64 = 100_000

    /// Looks at the shifts of all terminals, some of each, so that none waits for another's.
    func lookAtAll() async {
        var entries: Int64 = 0
        var place = state.withLock { $0.place }
        do {
            let terminals = try await comparing.terminals()
            state.withLock { $0.waiting.formUnion(terminals) }
            while true {
                let shifts = try await comparing.ready(behind: place)
                for shift in shifts {
                    guard entries < Self.entriesOfRound else {
                        return state.withLock { [place] in $0.place = place }
                    }
                    entries += await settle(shift)
                    place = shift.terminalId
                }
                if shifts.isEmpty { break }
            }
            state.withLock { $0.place = "" }
        } catch {
            logger.warning("shifts were not compared", metadata: ["reason": "\(error)"])
        }
    }

    /// Settles one of many: what is wrong with it is no reason to leave the others.
    ///
    /// - Returns: how many entries were read.
    private func settle(_ shift: ShiftQuery.Waiting) async -> Int64 {
        do {
            guard let parts = try await comparing.parts(of: shift) else { return 1 }
            _ = try await settle(shift, parts)
            return parts.reduce(1) { $0 + $1.count }
        } catch {
            logger.warning(
                "a shift was not compared",
                metadata: ["terminal": "\(shift.terminalId)", "reason": "\(error)"])
            return 1
        }
    }

    /// - Returns: whether it is settled: a process without private keys leaves it to one that has them.
    private func settle(
        _ shift: ShiftQuery.Waiting, _ parts: [ShiftComparison.Part]
    ) async throws(LedgerError) -> Bool {
        guard keys.canSign else { return false }
        var compared = try await comparing.compared(shift, in: parts, at: now())
        for index in compared.indices {
            guard let signed = keys.signed(compared[index].statement) else { return false }
            compared[index].statement = signed
        }
        log(try await comparing.settle(shift, with: compared, at: now()), of: shift)
        return true
    }

    private func log(_ settlement: ShiftSettlement, of shift: ShiftQuery.Waiting) {
        let metadata: Logger.Metadata = [
            "terminal": "\(shift.terminalId)", "shift": "\(shift.closing.opening.shiftId)",
            "state": "\(settlement.state.rawValue)",
        ]
        if settlement.state == .disputed {
            logger.warning("a shift has other sums than the journal", metadata: metadata)
        } else {
            logger.info("a shift is countersigned", metadata: metadata)
        }
    }
}

/// How many entries are compared within the pushes of one terminal; kept as the moment at which all of it is
/// there again, as in ``TokenBucket``.
struct ComparisonBudget {
    private var fullAt: [String: Int64] = [:]

    /// The shifts of some large days at once: what a till that was offline brings. With half of it more of
    /// them wait some seconds, twice of it lets one push keep a connection twice as long.
    private static let burst: Int64 = 20_000
    /// Milliseconds in which one entry comes back, as many as a till sells on its best day.
    private static let interval: Int64 = 10

    /// - Returns: whether so many may be read now; then they are taken out.
    mutating func take(_ entries: Int64, of terminalId: String, at now: Int64) -> Bool {
        if fullAt.count > 1_024 { fullAt = fullAt.filter { $0.value > now } }
        guard entries <= Self.burst else { return false }
        let next = max(fullAt[terminalId] ?? now, now) + entries * Self.interval
        guard next - now <= Self.burst * Self.interval else { return false }
        fullAt[terminalId] = next
        return true
    }
}

/// Runs ``ShiftBook/lookAtAll()`` at the start and every few seconds.
struct ShiftWatch: Service {
    let book: ShiftBook

    /// A terminal that closed at another hub has its statement after this at the latest. Half of it reads the
    /// store twice as often, twice of it makes a cashier wait for the paper.
    private static let interval: Duration = .seconds(15)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat { await book.lookAtAll() } while (try? await Task.sleep(for: Self.interval)) != nil
        }
    }
}
