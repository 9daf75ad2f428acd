import Base

internal import Credentials
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import MachineRuntime

/// Checks cashiers' PINs: by the terminal's own copy where it has a verifier, else at the hub.
///
/// One check runs at a time, so that a guesser gains nothing from many at once. A try is counted on disk
/// before its PIN is checked: killing the program in between loses no count. A right PIN is kept as long as
/// this object exists and is not hashed again.
actor PINCheck {
    private let hub: any CashierVerifying
    private let roster: any CashierRoster
    private let store: any FailedPINStore
    private let inquiry: HubInquiry
    private let time: any SystemTime
    /// Nil until the counters were read from the disk.
    private var table: FailedPINTable?
    private var known = KnownPINs()
    /// Cashiers that only the hub has, as it described them.
    private var hubCashiers: [String: Cashier] = [:]
    /// The check that the next one waits for.
    private var lastCheck: Task<Result<Cashier, AuthorityRefusal>, Never>?

    init(
        hub: any CashierVerifying, roster: any CashierRoster, store: any FailedPINStore, inquiry: HubInquiry,
        time: any SystemTime
    ) {
        self.hub = hub
        self.roster = roster
        self.store = store
        self.inquiry = inquiry
        self.time = time
    }

    /// The cashier with this id and PIN.
    ///
    /// - Parameter waiting: of the sale that the check is for; nil: ``CheckoutPolicy/pinWaitBudget`` alone.
    func cashier(
        _ id: String, pin: String, policy: CheckoutPolicy, within waiting: SaleWaiting? = nil
    ) async throws(AuthorityRefusal) -> Cashier {
        for (field, text) in [("cashierId", id), ("pin", pin)]
        where text.utf8.count > TextBound.name {
            throw .textTooLong(field: field, limit: TextBound.name)
        }
        let before = lastCheck
        if table?.rows[id] == nil, let remembered = rememberedCashier(pin, of: id) { return remembered }
        let check = Task { () -> Result<Cashier, AuthorityRefusal> in
            _ = await before?.value
            let waiting = waiting ?? SaleWaiting(budget: policy.pinWaitBudget, isOfSale: false)
            return await self.result(of: pin, of: id, within: waiting)
        }
        lastCheck = check
        let result = await check.value
        if lastCheck == check { lastCheck = nil }
        return try result.get()
    }

    private func result(
        of pin: String, of id: String, within waiting: SaleWaiting
    ) async -> Result<Cashier, AuthorityRefusal> {
        do throws(AuthorityRefusal) {
            return .success(try await checked(pin, of: id, within: waiting))
        } catch {
            return .failure(error)
        }
    }

    private func checked(
        _ pin: String, of id: String, within waiting: SaleWaiting
    ) async throws(AuthorityRefusal) -> Cashier {
        var table = try await counters()
        let before = table.rows[id]
        if let wait = before?.wait(at: MachineMoment(time)) {
            throw .pinLocked(cashierId: id, milliseconds: wait)
        }
        if let found = rememberedCashier(pin, of: id) {
            if before != nil { try await keep(nil, of: id) }
            return found
        }
        let forgotten = table.noteWrong(id, at: MachineMoment(time)) { roster.cashier($0) != nil }
        try await keep(table.rows[id], of: id, forgetting: forgotten)
        switch await check(pin, of: id, within: waiting) {
        case nil:
            // The PIN was not checked.
            try await keep(before, of: id)
            throw .pinNotChecked(cashierId: id)
        case .right(let cashier):
            try await keep(nil, of: id)
            remember(cashier, pin, of: id)
            return cashier
        case .wrong:
            throw .wrongPIN(cashierId: id)
        case .locked(let remaining):
            // The hub did not check the PIN.
            try await keep(before, of: id)
            throw .pinLocked(cashierId: id, milliseconds: max(1, remaining.wholeMilliseconds))
        }
    }

    private func remember(_ cashier: Cashier, _ pin: String, of id: String) {
        let verifier = roster.cashier(id)?.verifier
        known.remember(pin, of: id, hash: verifier)
        if verifier == nil { hubCashiers[id] = cashier }
    }

    private func rememberedCashier(_ pin: String, of id: String) -> Cashier? {
        let cashier = roster.cashier(id)
        guard known.holds(pin, of: id, hash: cashier?.verifier) else { return nil }
        return cashier?.verifier == nil ? hubCashiers[id] : cashier
    }

    /// Nil: neither the terminal nor the hub could check it.
    private func check(_ pin: String, of id: String, within waiting: SaleWaiting) async -> PINResult? {
        guard roster.cashier(id)?.verifier == nil else {
            // A copy that cannot be read confirms no PIN.
            return (try? await roster.check(pin, of: id)) ?? .wrong
        }
        let reply = await inquiry.reply(of: .account, within: waiting, isRepeatable: false) {
            () throws(InquiryError) in
            let result = try await self.hub.check(pin, of: id)
            // A response that comes after the wait spares the next try its own.
            if case .right(let cashier) = result { await self.remember(cashier, pin, of: id) }
            return result
        }
        switch reply {
        case .response(let result): return result
        case .silence: return nil
        // An id that is in no copy is unknown to this terminal.
        case .none: return roster.cashier(id) == nil ? .wrong : nil
        }
    }

    private func counters() async throws(AuthorityRefusal) -> FailedPINTable {
        if let table { return table }
        let read: FailedPINTable
        do throws(StorageError) {
            read = FailedPINTable(try await store.failedPINs())
        } catch {
            throw AuthorityRefusal(error)
        }
        table = read
        return read
    }

    /// On disk first: a counter that cannot be kept lets no PIN be tried.
    private func keep(
        _ failed: FailedPINs?, of id: String, forgetting others: [String] = []
    ) async throws(AuthorityRefusal) {
        try await AuthorityRefusal.accessing(await store.keep(failed, of: id, forgetting: others))
        table?.restore(failed, of: id)
        for other in others { table?.restore(nil, of: other) }
    }
}
