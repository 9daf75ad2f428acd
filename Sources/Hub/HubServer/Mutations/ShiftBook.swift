internal import Base
internal import HubCore
internal import HubProtocol
internal import HubStore
internal import Logging
internal import ServiceLifecycle
internal import Synchronization

/// Countersigns the shifts of the terminals: as soon as a push brings the last entry of one, and every few
/// seconds what another hub, or one that ended in between, left.
final class ShiftBook: Sendable {
    private let comparing: ShiftComparing
    private let keys: HubKeys
    private let now: @Sendable () -> Int64
    private let logger: Logger
    /// Terminals with a closed shift that waits, as far as this process has seen.
    private let waiting = Mutex<Set<String>>([])

    init(
        ledger: any QueryLedger & EntityLedger, keys: HubKeys, now: @escaping @Sendable () -> Int64,
        logger: Logger
    ) {
        comparing = ShiftComparing(ledger)
        self.keys = keys
        self.now = now
        self.logger = logger
    }

    /// Looks at the shifts of a terminal whose push was accepted.
    ///
    /// - Returns: whether the feed has a new statement for it.
    func look(after mutations: [ReceivedMutation], of terminalId: String) async -> Bool {
        let types = mutations.map(\.type)
        let isEdit = mutations.contains { $0.supersedes != nil } || types.contains("mutation.discarded")
        let isWaiting = waiting.withLock { waiting in
            if types.contains(ShiftClosing.type) { waiting.insert(terminalId) }
            return waiting.contains(terminalId)
        }
        guard isWaiting || isEdit else { return false }
        do {
            if isEdit { try await comparing.reconsider(terminalId) }
            return try await settle(try await comparing.waiting(of: terminalId))
        } catch {
            logger.warning("shifts were not compared", metadata: ["reason": "\(error)"])
            return false
        }
    }

    /// Looks at the shifts of all terminals.
    func lookAtAll() async {
        do {
            let shifts = try await comparing.waiting()
            waiting.withLock { $0 = Set(shifts.map(\.terminalId)) }
            _ = try await settle(shifts)
        } catch {
            logger.warning("shifts were not compared", metadata: ["reason": "\(error)"])
        }
    }

    private func settle(_ shifts: [ShiftQuery.Waiting]) async throws -> Bool {
        var hasSettled = false
        for shift in shifts {
            guard let statements = try await comparing.statements(of: shift, at: now()) else { continue }
            let signed = statements.compactMap(keys.signed)
            // A process without private keys leaves it to one that has them.
            guard signed.count == statements.count else { continue }
            let settlement = try await comparing.settle(shift, with: signed, at: now())
            log(settlement, of: shift)
            hasSettled = true
        }
        let left = Set(shifts.map(\.terminalId))
        if hasSettled {
            for terminalId in left where try await comparing.waiting(of: terminalId).isEmpty {
                _ = waiting.withLock { $0.remove(terminalId) }
            }
        }
        return hasSettled
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
