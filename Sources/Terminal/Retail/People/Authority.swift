internal import HubProtocol
package import OfflineCore
internal import OfflineMode
internal import MachineRuntime

/// Decides who acts at this terminal and with which rights: by the person who is signed in, or by id and PIN
/// for one command, with an approver where the store's rules require one.
///
/// In a store without cashiers no id and no PIN is required.
package actor Authority {
    private let check: PINCheck
    private let roster: any CashierRoster
    private let store: any SignInStore
    private let time: any SystemTime
    private let currentPolicy: @Sendable () -> CheckoutPolicy
    private var signIn: SignIn?
    private var isLoaded = false
    /// The moment of ``SignIn/usedAt`` that is on disk.
    private var keptAt: MachineMoment?

    /// How much of the last command's time a crash may lose, which ends the sign-in by so much earlier: a
    /// minute, or a quarter of the idle time where that is less. A shorter time writes more often, in
    /// competition with the sales.
    private static let keepInterval: Int64 = 60_000

    init(
        check: PINCheck, roster: any CashierRoster, store: any SignInStore, time: any SystemTime,
        policy: @escaping @Sendable () -> CheckoutPolicy
    ) {
        self.check = check
        self.roster = roster
        self.store = store
        self.time = time
        currentPolicy = policy
    }

    private var policy: CheckoutPolicy { currentPolicy() }

    /// Whether the store has cashiers, and so somebody who could approve.
    nonisolated var hasPeople: Bool { roster.hasCashiers }

    /// Signs `cashierId` in, in place of the present person; durable when it returns.
    package func signIn(_ cashierId: String, pin: String) async throws(AuthorityRefusal) -> SignIn {
        guard roster.hasCashiers else { throw .noCashiers }
        guard !cashierId.isEmpty, !pin.isEmpty else { throw .pinRequired(personId: cashierId) }
        let cashier = try await check.cashier(cashierId, pin: pin, policy: policy)
        let now = MachineMoment(time)
        let next = SignIn(cashier: cashier, signedInAt: now.wall, usedAt: now)
        try await keep(next)
        return next
    }

    /// Signs the present person out.
    package func signOut() async throws(AuthorityRefusal) {
        try await keep(nil)
    }

    /// The person who is signed in, with the end of the sign-in in Unix milliseconds; nil: nobody. It changes
    /// nothing and does not extend the sign-in.
    package func signedIn() async throws(AuthorityRefusal) -> (signIn: SignIn, expiresAt: Int64)? {
        guard let current = try await current() else { return nil }
        let signIn = SignIn(
            cashier: current.person, signedInAt: current.signIn.signedInAt, usedAt: current.signIn.usedAt)
        return (signIn, signIn.expiresAt(idle: policy.idleMilliseconds))
    }

    /// Lets somebody do `actions`.
    ///
    /// - Parameter isApproved: whether each of them needs an approver, whatever the store lists. Default
    ///   false.
    /// - Returns: the person; in a store without cashiers the one that the request names.
    package func authorize(
        _ claim: PersonClaim, _ actions: [ApprovalAction] = [], isApproved: Bool = false
    ) async throws(AuthorityRefusal) -> Authorization {
        guard let person = try await person(claim) else {
            if let id = claim.cashierId, id.utf8.count > TextBound.name {
                throw .textTooLong(field: "cashierId", limit: TextBound.name)
            }
            return Authorization(cashierId: claim.cashierId, approverId: nil)
        }
        return Authorization(
            cashierId: person.id,
            approverId: try await approver(of: actions, by: person, claim, always: isApproved))
    }

    /// Who acts; nil in a store without cashiers.
    ///
    /// - Parameter waiting: of the sale that the person makes; nil outside a sale.
    func person(
        _ claim: PersonClaim, within waiting: SaleWaiting? = nil
    ) async throws(AuthorityRefusal) -> Cashier? {
        guard roster.hasCashiers else { return nil }
        if let id = claim.cashierId, !id.isEmpty, let pin = claim.pin, !pin.isEmpty {
            return try await check.cashier(id, pin: pin, policy: policy, within: waiting)
        }
        guard let current = try await current() else { throw .signInRequired }
        if let id = claim.cashierId, !id.isEmpty, id != current.person.id { throw .pinRequired(personId: id) }
        await noteCommand()
        return current.person
    }

    /// The approver whose PIN allows `person` to do `actions`; nil: none is needed.
    func approver(
        of actions: [ApprovalAction], by person: Cashier, _ claim: PersonClaim,
        within waiting: SaleWaiting? = nil, always: Bool = false
    ) async throws(AuthorityRefusal) -> String? {
        let approvals = policy.approvals(hasManager: roster.hasManager)
        guard person.role != .manager,
            let action = actions.first(where: { always || approvals.needs($0) })
        else { return nil }
        guard let approver = claim.approver, !approver.id.isEmpty else {
            throw .approvalRequired(action, .nobody)
        }
        guard approver.id != person.id else { throw .approvalRequired(action, .samePerson) }
        guard let pin = approver.pin, !pin.isEmpty else { throw .pinRequired(personId: approver.id) }
        let found = try await check.cashier(approver.id, pin: pin, policy: policy, within: waiting)
        guard found.role == .manager else { throw .approvalRequired(action, .noManager(found.id)) }
        return found.id
    }

    private func current() async throws(AuthorityRefusal) -> (signIn: SignIn, person: Cashier)? {
        try await load()
        guard roster.hasCashiers, let signIn, let person = signIn.current(in: roster),
            !signIn.isOver(at: MachineMoment(time), idle: policy.idleMilliseconds)
        else { return nil }
        return (signIn, person)
    }

    private func load() async throws(AuthorityRefusal) {
        guard !isLoaded else { return }
        let kept = try await AuthorityRefusal.accessing(await store.signIn())
        guard !isLoaded else { return }
        (signIn, keptAt, isLoaded) = (kept, kept?.usedAt, true)
    }

    /// A command of the person who is signed in puts the end off. What cannot be kept ends earlier after a
    /// restart, and is no reason to refuse the command.
    private func noteCommand() async {
        let now = MachineMoment(time)
        signIn?.usedAt = now
        guard let signIn, let keptAt else { return }
        guard keptAt.mostPassed(until: now) >= min(Self.keepInterval, policy.idleMilliseconds / 4) else {
            return
        }
        self.keptAt = now
        try? await store.keep(signIn)
        // A sign-in or sign-out in the meantime has priority.
        if self.signIn?.signedInAt != signIn.signedInAt { try? await store.keep(self.signIn) }
    }

    private func keep(_ next: SignIn?) async throws(AuthorityRefusal) {
        try await AuthorityRefusal.accessing(await store.keep(next))
        (signIn, keptAt, isLoaded) = (next, next?.usedAt, true)
    }
}
