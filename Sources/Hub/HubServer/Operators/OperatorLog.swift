internal import HubCore
internal import HubProtocol
internal import HubStore
internal import Logging
internal import ServiceLifecycle
internal import Synchronization

/// The log of what operators do at this process.
///
/// An act is written before its response, and later where the store does not respond at that moment: a
/// decision on the services must not wait for the store whose outage it is about. In a process without a
/// store of orders the acts are in the program's log alone.
final class OperatorLog: Service {
    private struct State {
        var pending: [OperatorAct] = []
        /// When a refusal was last noted, by operator and action.
        var refusals: [String: Int64] = [:]
    }

    private let ledger: (any Ledger)?
    private let now: @Sendable () -> Int64
    private let logger: Logger
    private let state = Mutex(State())

    /// Acts that wait for the store; beyond, the oldest are in the program's log alone. An hour of an outage
    /// at the pace of one operator who clicks every four seconds.
    private static let maximumPending = 1_000
    /// A program that repeats a refused call fills the log with one line a minute.
    private static let refusalInterval: Int64 = 60_000
    private static let interval: Duration = .seconds(5)

    init(ledger: (any Ledger)?, now: @escaping @Sendable () -> Int64, logger: Logger) {
        self.ledger = ledger
        self.now = now
        self.logger = logger
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: Self.interval)) != nil { await self.flush() }
        }
        await flush()
    }

    /// Notes an act and writes it, unless the store does not respond.
    func record(
        _ action: LoggedAction, by person: OperatorIdentity, subject: String = "", detail: String = "",
        outcome: OperatorAct.Outcome = .done
    ) async {
        note(
            OperatorAct(
                at: now(), name: person.name, role: person.role, action: action.rawValue, subject: subject,
                detail: detail, outcome: outcome))
        await flush()
    }

    /// Notes that a role had no right to an action; it is written within seconds.
    func refuse(_ action: ProtectedAction, to person: OperatorIdentity) {
        refuse(action.rawValue, to: person)
    }

    /// The same of what a person with the right to it may not do: the password was wrong, or the proposal is
    /// their own.
    func refuse(_ action: LoggedAction, to person: OperatorIdentity) {
        refuse(action.rawValue, to: person)
    }

    private func refuse(_ action: String, to person: OperatorIdentity) {
        let time = now()
        let key = "\(person.name)\n\(action)"
        let isNew = state.withLock { state in
            state.refusals = state.refusals.filter { time - $0.value < Self.refusalInterval }
            guard state.refusals[key] == nil else { return false }
            state.refusals[key] = time
            return true
        }
        guard isNew else { return }
        note(
            OperatorAct(
                at: time, name: person.name, role: person.role, action: action, outcome: .refused))
    }

    private func note(_ act: OperatorAct) {
        logger.notice(
            "operator: \(act.action)",
            metadata: [
                "operator": "\(act.name)", "subject": "\(act.subject)", "outcome": "\(act.outcome.rawValue)",
            ])
        guard ledger != nil else { return }
        state.withLock { state in
            state.pending = state.pending.suffix(Self.maximumPending - 1) + [act]
        }
    }

    /// Writes what waits. What cannot be written now stays, in its order.
    func flush() async {
        guard let ledger else { return }
        let acts = state.withLock { state in
            defer { state.pending = [] }
            return state.pending
        }
        guard !acts.isEmpty else { return }
        do {
            try await ledger.keepActs(acts)
        } catch {
            state.withLock { $0.pending = (acts + $0.pending).suffix(Self.maximumPending) }
            logger.warning("operators' acts are not written yet", metadata: ["reason": "\(error)"])
        }
    }
}
