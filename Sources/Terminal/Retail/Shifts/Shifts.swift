package import Base
package import HubProtocol
package import MachineRuntime

internal import OfflineCore
internal import Pricing

/// The day's money at this terminal: a float is counted in, cash is moved, the drawer is counted out. All of
/// it works offline; the hub countersigns later.
package struct Shifts: Sendable {
    private let storage: any ShiftStorage
    private let cards: any StoredCardStore
    private let catalogue: any Catalogue
    private let authority: Authority
    private let delivery: any SaleDelivery
    private let time: any SystemTime
    private let currentPolicy: @Sendable () -> CheckoutPolicy

    /// Makes the service; `policy` is evaluated at each use, so that a changed configuration counts at once.
    package init(
        storage: any ShiftStorage, cards: any StoredCardStore, catalogue: any Catalogue, authority: Authority,
        delivery: any SaleDelivery, time: any SystemTime,
        policy: @autoclosure @escaping @Sendable () -> CheckoutPolicy
    ) {
        self.storage = storage
        self.cards = cards
        self.catalogue = catalogue
        self.authority = authority
        self.delivery = delivery
        self.time = time
        currentPolicy = policy
    }

    /// Opens a shift.
    ///
    /// - Parameter float: minor units of cash in the drawer, 0 to ``maximumAmount``.
    package func open(float: Int64, by claim: PersonClaim) async throws(ShiftRefusal) -> Shift {
        try check(float, "float")
        let person = try await authorize(claim, [])
        let currency = try await currency()
        let (now, policy) = (time.wallMilliseconds(), currentPolicy())
        let draft = ShiftDraft(
            float: float, currency: currency, person: person, madeAt: now,
            businessDay: policy.calendar.day(at: now), timeZone: policy.calendar.timeZone)
        return shown(try await recording { () throws(StorageError) in try await storage.open(draft) })
    }

    /// Moves cash, or opens the drawer without a sale.
    ///
    /// - Parameters:
    ///   - amount: minor units, above 0; 0 for ``CashMove/Kind/noSale``.
    ///   - reason: never empty, at most 200 bytes.
    ///   - key: the same one again moves nothing more; nil: every request moves cash.
    ///   - isConfirmed: whether a person knows that more is taken out than the drawer should have.
    package func move(
        _ kind: CashMove.Kind, amount: Int64, reason: String, key: ULID? = nil, isConfirmed: Bool = false,
        by claim: PersonClaim
    ) async throws(ShiftRefusal) -> CashMove {
        try check(amount, "amount")
        guard kind == .noSale ? amount == 0 : amount > 0 else {
            throw kind == .noSale ? .amountInvalid(field: "amount", range: 0...0) : .amountMissing
        }
        guard reason.contains(where: { !$0.isWhitespace }) else { throw .reasonMissing }
        guard reason.utf8.count <= TextBound.entered else {
            throw .textTooLong(field: "reason", limit: TextBound.entered)
        }
        // Ahead of the approver, whose PIN would be entered twice.
        if !isConfirmed, kind == .out || kind == .drop { try await checkDrawer(has: amount) }
        let person = try await authorize(claim, [kind == .noSale ? .noSale : .cashMovement])
        let currency = try await currency()
        let (now, policy) = (time.wallMilliseconds(), currentPolicy())
        let draft = CashMoveDraft(
            key: key, kind: kind, amount: amount, currency: currency, reason: reason, person: person,
            madeAt: now, businessDay: policy.calendar.day(at: now), timeZone: policy.calendar.timeZone)
        return try await recording { () throws(StorageError) in try await storage.move(draft) }
    }

    /// Closes the open shift.
    ///
    /// - Parameters:
    ///   - cash: minor units that were counted, 0 to ``maximumAmount``.
    ///   - others: what was counted of other tenders, each once; it is compared on the report and changes no
    ///     sum.
    ///   - isConfirmed: whether it was counted again: true closes with any difference, false with none above
    ///     the tolerated one (without the store's key: with none). Nil: the store's key alone decides.
    package func close(
        counted cash: Int64, others: [ShiftClosing.Counted], isConfirmed: Bool? = nil, by claim: PersonClaim
    ) async throws(ShiftRefusal) -> Shift {
        try check(cash, "counted")
        let isAbove = try await isAboveTolerated(counted: cash, isConfirmed: isConfirmed)
        let person = try await authorize(claim, isAbove ? [.cashMovement] : [])
        try await check(others)
        let count = ShiftCount(
            cash: cash, others: others, person: person, madeAt: time.wallMilliseconds())
        let shift = try await recording { () throws(StorageError) in try await storage.close(count) }
        // The shift is closed: what cannot be read of the debts is no reason to refuse that.
        return (try? await withDebts([shift]).first) ?? shift
    }

    /// Refuses a difference that was not counted again.
    ///
    /// - Returns: whether it is above what the store tolerates, which is a matter of the store's approvals.
    private func isAboveTolerated(
        counted cash: Int64, isConfirmed: Bool?
    ) async throws(ShiftRefusal) -> Bool {
        let policy = currentPolicy()
        guard policy.toleratedDifference != nil || isConfirmed == false else { return false }
        let shift = try await report()
        // Both are at most 2⁵³.
        let difference = cash - shift.expectedCash
        guard difference.magnitude > (policy.toleratedDifference ?? 0).magnitude else { return false }
        guard isConfirmed == true else {
            throw .countDiffers(
                by: policy.countsBlind ? nil : AmountText.money(difference, shift.opening.currency))
        }
        return policy.toleratedDifference != nil
    }

    /// Nothing is compared without an open shift, since nobody knows then what the drawer has.
    private func checkDrawer(has amount: Int64) async throws(ShiftRefusal) {
        let shift: Shift
        do throws(ShiftRefusal) {
            shift = try await report()
        } catch {
            if case .noneOpen = error { return }
            throw error
        }
        guard amount > shift.expectedCash else { return }
        let has = AmountText.money(max(0, shift.expectedCash), shift.opening.currency)
        throw .drawerShort(has: currentPolicy().countsBlind ? nil : has)
    }

    /// The open shift with what it comes to so far (X).
    package func report() async throws(ShiftRefusal) -> Shift {
        let id = try await ShiftRefusal.accessing(await storage.openShiftId())
        guard let id else { throw .noneOpen }
        return try await shift(id)
    }

    package func shift(_ id: String) async throws(ShiftRefusal) -> Shift {
        let found = try await ShiftRefusal.accessing(await storage.shift(id))
        let shift = try found.get()
        return try await withDebts([shift]).first ?? shift
    }

    /// The newest first, at most `limit`.
    package func list(limit: Int) async throws(ShiftRefusal) -> [Shift] {
        let shifts = try await ShiftRefusal.accessing(await storage.shifts(limit: limit))
        return try await withDebts(shifts)
    }

    /// Shifts, each with the cards that were refused after it took them.
    private func withDebts(_ shifts: [Shift]) async throws(ShiftRefusal) -> [Shift] {
        let debts = try await ShiftRefusal.accessing(await cards.debts())
        return shifts.map { shift in
            var shift = shown(shift)
            shift.debts = debts.filter { $0.shiftId == shift.opening.shiftId }
            return shift
        }
    }

    /// A shift as people may see it now.
    private func shown(_ shift: Shift) -> Shift {
        var shift = shift
        shift.isBlind = currentPolicy().countsBlind && shift.closing == nil
        if shift.isBlind { shift.cardMachine = shift.cardMachine.blind }
        return shift
    }

    /// The report of a shift for paper and screen.
    package func report(of shift: Shift, in language: Language) -> [ReceiptPart] {
        ShiftReport(shift: shift, policy: currentPolicy(), texts: language.reportTexts).parts
    }

    /// The slip of a movement of cash.
    package func slip(of move: CashMove, in language: Language) -> [ReceiptPart] {
        CashSlip(
            move: move, at: time.wallMilliseconds(), policy: currentPolicy(), texts: language.reportTexts
        ).parts
    }

    /// The report as text of 40 columns, in the terminal's language.
    package func text(of shift: Shift) -> String { ShiftReport(shift: shift, policy: currentPolicy()).text }

    private func check(_ amount: Int64, _ field: String) throws(ShiftRefusal) {
        let range = PayloadRange.count
        guard range.contains(amount) else { throw .amountInvalid(field: field, range: range) }
    }

    /// A closing is never made again: a tender that is misspelt would stay in it.
    private func check(_ others: [ShiftClosing.Counted]) async throws(ShiftRefusal) {
        guard !others.isEmpty else { return }
        let taken = try await report().sums.tenders.map(\.method)
        let store = currentPolicy().tenders.tenders.filter { $0.kind != .cash }.map(\.method)
        let known = Set(store + taken).subtracting([Tender.cash.method])
        var left = known
        for other in others {
            guard left.remove(other.method) != nil else {
                throw .unknownTender(other.method, known: known.sorted())
            }
            try check(other.amount, other.method)
        }
    }

    private func authorize(
        _ claim: PersonClaim, _ actions: [ApprovalAction]
    ) async throws(ShiftRefusal) -> Authorization {
        do throws(AuthorityRefusal) {
            return try await authority.authorize(claim, actions)
        } catch {
            throw .authority(error)
        }
    }

    private func currency() async throws(ShiftRefusal) -> String {
        let currency: String?
        do throws(CatalogueError) {
            currency = try await catalogue.currency()
        } catch {
            throw .notRecorded(detail: "\(error)")
        }
        guard let currency else { throw .currencyUnknown }
        return currency
    }

    private func recording<Value: Sendable>(
        _ work: () async throws(StorageError) -> Result<Value, ShiftRefusal>
    ) async throws(ShiftRefusal) -> Value {
        let result = try await ShiftRefusal.accessing(await work())
        let value = try result.get()
        delivery.nudge()
        return value
    }
}
