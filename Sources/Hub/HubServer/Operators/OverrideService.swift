import Base

internal import Foundation
internal import HubCore
internal import HubProtocol
internal import HubStore
internal import LinuxRuntime
internal import MachineRuntime
internal import OfflineCore

/// Operators' overrides of the decisions on services: who may set which, which one waits for a second
/// operator, and what the log says of it. Every way to an override leads here.
struct OverrideService: Sendable {
    let engine: QoSEngine
    /// Nil for a command without a hub: the decisions' own history has its override.
    let log: OperatorLog?

    /// An override as an operator wants it.
    struct Wanted: Sendable {
        let service: String
        let state: String
        /// Without white space around it, which says nothing.
        let reason: String
        /// Milliseconds since 1970; nil: until it is taken back.
        let until: Int64?
        /// Nil for the chain.
        let storeId: String?

        init(service: String, state: String, reason: String, until: Int64?, storeId: String?) {
            self.service = service
            self.state = state
            self.reason = reason.trimmingCharacters(in: .whitespacesAndNewlines)
            self.until = until
            self.storeId = storeId
        }

        fileprivate var detail: String {
            let end = until.map { ", until " + Timestamp.text(milliseconds: $0) } ?? ""
            return "\(state)\(storeId.map { " for store \($0)" } ?? " for the chain")\(end): \(reason)"
        }
    }

    private static let action = LoggedAction.overrideService

    /// Sets an override at once, or proposes it: one for the chain that comes over the network.
    ///
    /// - Returns: what waits for a second operator; nil when the override holds.
    func set(_ wanted: Wanted, by person: OperatorIdentity) async throws(Problem) -> QoSProposal? {
        try requireRight(to: wanted.storeId, of: person)
        let state = try await checked(wanted)
        guard wanted.storeId == nil, person != .local else {
            await engine.override(
                wanted.service, state: state, reason: wanted.reason, by: person.name, until: wanted.until,
                storeId: wanted.storeId)
            await log?.record(Self.action, by: person, subject: wanted.service, detail: wanted.detail)
            return nil
        }
        let now = LinuxSystemTime.hub.wallMilliseconds()
        var random = SystemRandomNumberGenerator()
        let proposal = QoSProposal(
            id: ULID(milliseconds: UInt64(max(0, now)), using: &random).description,
            service: wanted.service, state: state.rawValue, reason: wanted.reason, by: person.name,
            until: wanted.until, expiresAt: now + QoSProposal.lifetime)
        try await kept { () throws(LedgerError) in try await engine.propose(proposal) }
        await log?.record(
            Self.action, by: person, subject: wanted.service, detail: wanted.detail, outcome: .proposed)
        return proposal
    }

    /// Refuses what cannot be set, before a person confirms it.
    func check(_ wanted: Wanted, by person: OperatorIdentity) async throws(Problem) {
        try requireRight(to: wanted.storeId, of: person)
        _ = try await checked(wanted)
    }

    /// Makes what another operator proposed hold.
    ///
    /// - Parameter id: of the proposal that this operator saw.
    func confirm(_ service: String, id: String, by person: OperatorIdentity) async throws(Problem) {
        try require(.confirmOverride, of: person)
        try await requireKnown(service)
        let waiting = try await kept { () throws(LedgerError) in
            try await engine.proposals().first { $0.service == service && $0.id == id }
        }
        guard let waiting else {
            throw .notFound(
                "Nothing waits under this id: it was confirmed, taken back or is over. Load the page again, and "
                    + "propose the override anew where it is still needed.", .proposalGone)
        }
        guard waiting.by != person.name else {
            log?.refuse(LoggedAction.confirmOverride, to: person)
            throw .secondOperatorRequired
        }
        let taken = try await kept { () throws(LedgerError) in
            try await engine.takeProposal(of: service, id: id)
        }
        guard let taken, let state = ServiceDecision.State(rawValue: taken.state) else {
            throw .notFound(
                "Nothing waits under this id: another operator was faster. Load the page again.",
                .proposalGone)
        }
        guard taken.until.map({ $0 > LinuxSystemTime.hub.wallMilliseconds() }) ?? true else {
            throw .malformed("The override would have ended already; propose another one.", .overrideEnded)
        }
        await engine.override(
            service, state: state, reason: taken.reason, by: "\(taken.by), \(person.name)",
            until: taken.until)
        await log?.record(
            .confirmOverride, by: person, subject: service,
            detail: "\(taken.state), proposed by \(taken.by): \(taken.reason)")
    }

    /// Takes back what waits for a second operator.
    ///
    /// - Parameter id: of the proposal that this operator saw.
    func withdraw(_ service: String, id: String, by person: OperatorIdentity) async throws(Problem) {
        try require(.overrideChain, of: person)
        try await requireKnown(service)
        let taken = try await kept { () throws(LedgerError) in
            try await engine.takeProposal(of: service, id: id)
        }
        guard taken != nil else {
            throw .notFound(
                "Nothing waits under this id: it was confirmed, taken back or is over. Load the page again.",
                .proposalGone)
        }
        await log?.record(
            .clearOverride, by: person, subject: service, detail: "what waited for a second operator")
    }

    /// Takes an override back, and what waits for a second operator; the decision is the machine's again.
    ///
    /// - Returns: whether there was one; none is no error, since a request is repeated after a response that
    ///   was lost.
    @discardableResult
    func clear(
        _ service: String, storeId: String?, by person: OperatorIdentity
    ) async throws(Problem) -> Bool {
        try requireRight(to: storeId, of: person)
        try await requireKnown(service)
        var isTaken = false
        if storeId == nil {
            isTaken = try await kept { () throws(LedgerError) in
                try await engine.takeProposal(of: service, id: nil) != nil
            }
        }
        let isLifted = await engine.liftOverride(service, storeId: storeId)
        await log?.record(
            .clearOverride, by: person, subject: service,
            detail: storeId.map { "for store \($0)" } ?? "for the chain")
        return isLifted || isTaken
    }

    /// Refuses a person who may not change the override of a store, or of the chain (nil).
    func requireRight(to storeId: String?, of person: OperatorIdentity) throws(Problem) {
        try require(storeId == nil ? .overrideChain : .overrideStore, of: person)
    }

    private func require(_ action: ProtectedAction, of person: OperatorIdentity) throws(Problem) {
        guard AuthorizationTable.allows(action, by: person.role) else {
            log?.refuse(action, to: person)
            throw .operatorForbidden
        }
    }

    private func checked(_ wanted: Wanted) async throws(Problem) -> ServiceDecision.State {
        try await requireKnown(wanted.service)
        guard let state = ServiceDecision.State(rawValue: wanted.state) else {
            throw .malformed(
                "A state is healthy, faulty or recovering, not \"\(wanted.state.prefix(40))\".", .unknownState
            )
        }
        guard (1...500).contains(wanted.reason.unicodeScalars.count) else {
            throw .malformed("A reason of 1 to 500 characters belongs to an operator's override.", .noReason)
        }
        guard wanted.until.map({ $0 > LinuxSystemTime.hub.wallMilliseconds() }) ?? true else {
            throw .malformed(
                "The override would have ended already; `until` must be in the future.", .overrideEnded)
        }
        guard wanted.storeId.map(StoreIdentifier.isValid) ?? true else {
            throw .malformed("A store's id is 1 to 32 letters, digits, hyphens or underscores.", .noStoreId)
        }
        return state
    }

    private func requireKnown(_ service: String) async throws(Problem) {
        let known = await engine.knownServices
        guard known.contains(service) else {
            throw .notFound(
                "No service is named \"\(service.prefix(40))\"; there are \(known.joined(separator: ", ")).",
                .unknownService(String(service.prefix(40)), known: known))
        }
    }

    private func kept<Value>(
        _ body: () async throws(LedgerError) -> Value
    ) async throws(Problem) -> Value {
        do throws(LedgerError) {
            return try await body()
        } catch {
            throw .storeUnavailable
        }
    }
}

extension Problem {
    fileprivate static let secondOperatorRequired = Problem(
        status: 409, code: ProblemCode(rawValue: "second_operator_required"),
        title: "A second operator has to confirm this",
        detail: "Who proposed an override for the chain cannot confirm it: let another operator do that.",
        reason: .ownProposal)
}
