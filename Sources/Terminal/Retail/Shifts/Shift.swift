package import Base
package import HubProtocol

/// A shift at this terminal: the time between counting the float and counting the drawer.
package struct Shift: Hashable, Sendable {
    /// How it began.
    package let opening: ShiftOpening
    /// The sequence of its `shift.opened`.
    package let from: Int64
    /// The sequence of its last entry: of an open shift the journal's last one.
    package let to: Int64
    /// The hash of the entry at ``to``.
    package let head: String
    /// What it came to: of an open shift so far, of a closed one as it was counted.
    package let sums: ShiftSums
    /// How it ended; nil while it is open.
    package let closing: ShiftClosing?
    /// The hub's statements, in the order of their epochs.
    package let statements: [ShiftStatement]
    /// The journal's epoch in which the hub got the closing, or a later one; nil: it does not have it.
    package let epoch: Int64?
    /// Cards that were taken offline in it and refused afterwards, before it was closed or later. They change
    /// none of its sums: the goods were sold.
    package var debts: [CardDebt] = []
    /// What people decided of the till's card machine in it, which the sums have as sales, and the machine's
    /// own ends of day.
    package var cardMachine = ShiftCardMachine()
    /// Whether people are not shown what should be in the drawer, since it is not counted yet.
    package var isBlind = false

    /// ``sums`` as people may see them: of a blind shift without any money of sales, since what should be in
    /// the drawer could be computed from it. Points are money: they are earned for what was paid, and what
    /// is spent pays like a tender.
    package var shownSums: ShiftSums {
        guard isBlind else { return sums }
        var shown = sums
        (shown.sales.total, shown.refunds.total, shown.voids.total) = (0, 0, 0)
        (shown.tenders, shown.taxes) = ([], [])
        (shown.pointsEarned, shown.pointsSpent) = (0, 0)
        return shown
    }

    package init(
        opening: ShiftOpening, from: Int64, to: Int64, head: String, sums: ShiftSums, closing: ShiftClosing?,
        statements: [ShiftStatement], epoch: Int64? = nil
    ) {
        self.opening = opening
        self.from = from
        self.to = to
        self.head = head
        self.sums = sums
        self.closing = closing
        self.statements = statements
        self.epoch = epoch
    }

    /// What became of it at the hub; nil while it is open.
    package var settlement: ShiftSettlement? {
        closing.map { ShiftSettlement($0, statements, arrivedIn: epoch) }
    }

    /// Open until it is closed, then by ``settlement``.
    package var state: ShiftSettlement.State { settlement?.state ?? .open }

    /// Minor units that should be in the drawer.
    package var expectedCash: Int64 { closing?.cash.expected ?? sums.expectedCash(float: opening.float) }
}

/// A shift about to be opened.
package struct ShiftDraft: Hashable, Sendable {
    /// Minor units of cash in the drawer.
    package let float: Int64
    /// ISO 4217.
    package let currency: String
    /// Who opens it.
    package let person: Authorization
    /// Unix milliseconds of the wall clock.
    package let madeAt: Int64
    /// The business day of ``madeAt`` by the store's calendar.
    package let businessDay: BusinessDay
    /// A name of the tz database.
    package let timeZone: String
}

/// A movement of cash about to be recorded.
package struct CashMoveDraft: Hashable, Sendable {
    /// Its ULID; the same one again moves nothing more. Nil: the store makes one.
    package let key: ULID?
    /// What happens to the drawer.
    package let kind: CashMove.Kind
    /// Minor units; 0 for ``CashMove/Kind/noSale``.
    package let amount: Int64
    /// ISO 4217.
    package let currency: String
    /// Why, as typed.
    package let reason: String
    /// Who moves it.
    package let person: Authorization
    /// Unix milliseconds of the wall clock.
    package let madeAt: Int64
    /// The business day of ``madeAt`` by the store's calendar.
    package let businessDay: BusinessDay
    /// A name of the tz database.
    package let timeZone: String
}

/// What was counted at the end of a shift.
package struct ShiftCount: Hashable, Sendable {
    /// Minor units of cash.
    package let cash: Int64
    /// Other tenders that were counted.
    package let others: [ShiftClosing.Counted]
    /// Who closes it.
    package let person: Authorization
    /// Unix milliseconds of the wall clock.
    package let madeAt: Int64
}

/// Where shifts are recorded: everything of a shift is in the journal.
package protocol ShiftStorage: Sendable {
    /// The id of the open shift; nil: none is open.
    func openShiftId() async throws(StorageError) -> String?

    /// Records `shift.opened`; refused while another one is open.
    func open(_ draft: ShiftDraft) async throws(StorageError) -> Result<Shift, ShiftRefusal>

    /// Records `cash.moved` in the open shift. A key that is known already records nothing.
    ///
    /// - Returns: the movement, or why there is none: cash is not moved without a shift.
    func move(_ draft: CashMoveDraft) async throws(StorageError) -> Result<CashMove, ShiftRefusal>

    /// Records `shift.closed` with what the journal's entries come to, in the transaction that adds up the
    /// last of them.
    func close(_ count: ShiftCount) async throws(StorageError) -> Result<Shift, ShiftRefusal>

    /// The shift of this id, of an open one as it stands now; or why it cannot be shown.
    func shift(_ id: String) async throws(StorageError) -> Result<Shift, ShiftRefusal>

    /// The newest first, at most `limit`; of the open one nothing is added up.
    func shifts(limit: Int) async throws(StorageError) -> [Shift]
}
