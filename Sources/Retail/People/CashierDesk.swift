internal import Credentials
internal import OfflineCore
internal import OfflineMode

/// Lets a sale pass when its cashier's PIN is right: by the hub's word, else by the till's own copy.
///
/// PINs are checked one after another, so that a guesser gains nothing by asking many at once. One that was
/// found right is remembered for the life of this object, and neither hashed nor asked for again.
actor CashierDesk {
    private let hub: any CashierVerifying
    private let roster: any CashierRoster
    private let inquiry: HubInquiry
    private let time: any SystemTime
    private var attempts = PINAttempts()
    private var known = KnownPINs()
    /// The check that the next one waits for.
    private var lastCheck: Task<PINVerdict, Never>?

    init(
        hub: any CashierVerifying, roster: any CashierRoster, inquiry: HubInquiry, time: any SystemTime
    ) {
        self.hub = hub
        self.roster = roster
        self.inquiry = inquiry
        self.time = time
    }

    /// - Throws: ``SaleRefusal/cashierRequired``, ``SaleRefusal/wrongPIN(cashierId:)`` or
    ///   ``SaleRefusal/pinLocked(cashierId:seconds:)``.
    func check(_ cashierId: String?, pin: String?, policy: CheckoutPolicy) async throws(SaleRefusal) {
        guard let cashierId, !cashierId.isEmpty, let pin, !pin.isEmpty else { throw .cashierRequired }
        switch await verdict(on: pin, of: cashierId, policy: policy) {
        case .right: return
        case .wrong: throw .wrongPIN(cashierId: cashierId)
        case .locked(let remaining):
            throw .pinLocked(
                cashierId: cashierId, seconds: max(1, (remaining.wholeMilliseconds + 999) / 1000))
        }
    }

    private func verdict(on pin: String, of cashierId: String, policy: CheckoutPolicy) async -> PINVerdict {
        if let quick = quickVerdict(on: pin, of: cashierId) { return quick }
        let before = lastCheck
        let check = Task {
            _ = await before?.value
            return await checked(pin, of: cashierId, policy: policy)
        }
        lastCheck = check
        return await check.value
    }

    private func checked(_ pin: String, of cashierId: String, policy: CheckoutPolicy) async -> PINVerdict {
        if let quick = quickVerdict(on: pin, of: cashierId) { return quick }
        let hash = roster.pinHash(of: cashierId)
        let verdict = await slowVerdict(on: pin, of: cashierId, policy: policy)
        switch verdict {
        case .right:
            attempts.noteRight(cashierId)
            known.remember(pin, of: cashierId, hash: hash)
        case .wrong: attempts.noteWrong(cashierId, at: milliseconds)
        case .locked: break
        }
        return verdict
    }

    /// What is to be said without a look at the PIN's hash; nil: it takes one.
    private func quickVerdict(on pin: String, of cashierId: String) -> PINVerdict? {
        if let wait = attempts.wait(of: cashierId, at: milliseconds) {
            return .locked(remaining: .milliseconds(wait))
        }
        return known.holds(pin, of: cashierId, hash: roster.pinHash(of: cashierId)) ? .right : nil
    }

    private func slowVerdict(
        on pin: String, of cashierId: String, policy: CheckoutPolicy
    ) async -> PINVerdict {
        let asked = await inquiry.ask("account", within: policy) { [hub] () throws(InquiryError) in
            try await hub.verdict(on: pin, of: cashierId)
        }
        if let asked { return asked }
        // A copy that cannot be read vouches for nobody.
        return (try? await roster.verdict(on: pin, of: cashierId)) ?? .wrong
    }

    private var milliseconds: Int64 { (time.now() - Instant(nanoseconds: 0)).wholeMilliseconds }
}
