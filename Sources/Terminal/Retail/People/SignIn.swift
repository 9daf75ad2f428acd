package import Base
package import OfflineMode

/// Who is signed in at this terminal, since when, and when the last command was theirs.
package struct SignIn: Hashable, Sendable {
    /// As read at the sign-in; the roster's present data of the same person has priority.
    package let cashier: Cashier
    /// Unix milliseconds of the wall clock.
    package let signedInAt: Int64
    /// The moment of the person's last command, by both clocks.
    package var usedAt: MachineMoment

    /// Makes a sign-in; ``isOver(at:idle:)`` counts from `usedAt`.
    package init(cashier: Cashier, signedInAt: Int64, usedAt: MachineMoment) {
        self.cashier = cashier
        self.signedInAt = signedInAt
        self.usedAt = usedAt
    }

    /// Whether more than `idle` milliseconds may have passed without a command, by either clock.
    package func isOver(at now: MachineMoment, idle: Int64) -> Bool {
        usedAt.mostPassed(until: now) >= idle
    }

    /// Unix milliseconds at which it ends without another command.
    package func expiresAt(idle: Int64) -> Int64 {
        usedAt.wall.addingReportingOverflow(idle).partialValue
    }

    /// The same person as `roster` has them now; nil when their PIN was changed or they were withdrawn since.
    /// Whom only the hub could check is taken as the hub described them.
    func current(in roster: any CashierRoster) -> Cashier? {
        guard let verifier = cashier.verifier else { return roster.cashier(cashier.id) ?? cashier }
        guard let known = roster.cashier(cashier.id), known.verifier == verifier else { return nil }
        return known
    }
}

/// Where the sign-in is kept between runs.
package protocol SignInStore: Sendable {
    /// Nil: nobody is signed in.
    func signIn() async throws(StorageError) -> SignIn?

    /// Durable when it returns; nil signs out.
    func keep(_ signIn: SignIn?) async throws(StorageError)
}

/// Who a request comes from, by its own account.
package struct PersonClaim: Hashable, Sendable {
    /// Who approves what the cashier's role does not allow.
    package struct Approver: Hashable, Sendable {
        /// The id of the person who approves; empty counts as nobody.
        package var id: String
        /// As typed; nil or empty: the request is refused, since an approver always needs a PIN.
        @Secret package var pin: String?

        package init(id: String, pin: String?) {
            self.id = id
            self.pin = pin
        }
    }

    /// Nil: the person who is signed in.
    package var cashierId: String?
    /// As typed; nil or empty: only the person who is signed in may act.
    @Secret package var pin: String?
    /// Nil: nobody approves, which is enough where the cashier's role allows the action.
    package var approver: Approver?

    /// Makes a claim, not yet checked. Without arguments it names the person who is signed in.
    package init(cashierId: String? = nil, pin: String? = nil, approver: Approver? = nil) {
        self.cashierId = cashierId
        self.pin = pin
        self.approver = approver
    }
}

/// The person who did something, and the approver whose PIN allowed it, as in the journal.
package struct Authorization: Hashable, Sendable {
    /// Nil: the store has no cashiers, and the request named nobody.
    package let cashierId: String?
    /// Nil: none was needed.
    package let approverId: String?

    /// Makes an authorization without checking it; ``Authority`` grants them.
    package init(cashierId: String?, approverId: String?) {
        self.cashierId = cashierId
        self.approverId = approverId
    }
}
