public import Base
public import HubProtocol

/// A shift at this terminal: the time between counting the float and counting the drawer.
public struct Shift: Hashable, Sendable {
    /// How it began.
    public let opening: ShiftOpening
    /// The sequence of its `shift.opened`.
    public let from: Int64
    /// The sequence of its last entry: of an open shift the journal's last one.
    public let to: Int64
    /// The hash of the entry at ``to``.
    public let head: String
    /// What it came to: of an open shift so far, of a closed one as it was counted.
    public let sums: ShiftSums
    /// How it ended; nil while it is open.
    public let closing: ShiftClosing?
    /// The hub's statements, in the order of their epochs.
    public let statements: [ShiftStatement]
    /// The journal's epoch in which the hub got the closing, or a later one; nil: it does not have it.
    public let epoch: Int64?
    /// Cards that were taken offline in it and refused afterwards, before it was closed or later. They change
    /// none of its sums: the goods were sold.
    public var debts: [CardDebt] = []
    /// Whether people are not shown what should be in the drawer, since it is not counted yet.
    public var isBlind = false

    /// Makes a shift without debts; nothing is checked here.
    public init(
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
    public var settlement: ShiftSettlement? {
        closing.map { ShiftSettlement($0, statements, arrivedIn: epoch) }
    }

    /// Open until it is closed, then by ``settlement``.
    public var state: ShiftSettlement.State { settlement?.state ?? .open }

    /// Minor units that should be in the drawer.
    public var expectedCash: Int64 { closing?.cash.expected ?? sums.expectedCash(float: opening.float) }
}

/// A shift about to be opened.
public struct ShiftDraft: Hashable, Sendable {
    /// Minor units of cash in the drawer.
    public let float: Int64
    /// ISO 4217.
    public let currency: String
    /// Who opens it.
    public let person: Authorization
    /// Unix milliseconds of the wall clock.
    public let madeAt: Int64
    /// The business day of ``madeAt`` by the store's calendar.
    public let businessDay: BusinessDay
    /// A name of the tz database.
    public let timeZone: String
}

/// A movement of cash about to be recorded.
public struct CashMoveDraft: Hashable, Sendable {
    /// Its ULID; the same one again moves nothing more. Nil: the store makes one.
    public let key: ULID?
    /// What happens to the drawer.
    public let kind: CashMove.Kind
    /// Minor units; 0 for ``CashMove/Kind/noSale``.
    public let amount: Int64
    /// ISO 4217.
    public let currency: String
    /// Why, as typed.
    public let reason: String
    /// Who moves it.
    public let person: Authorization
    /// Unix milliseconds of the wall clock.
    public let madeAt: Int64
    /// The business day of ``madeAt`` by the store's calendar.
    public let businessDay: BusinessDay
    /// A name of the tz database.
    public let timeZone: String
}

/// What was counted at the end of a shift.
public struct ShiftCount: Hashable, Sendable {
    /// Minor units of cash.
    public let cash: Int64
    /// Other tenders that were counted.
    public let others: [ShiftClosing.Counted]
    /// Who closes it.
    public let person: Authorization
    /// Unix milliseconds of the wall clock.
    public let madeAt: Int64
}

/// Where shifts are recorded: everything of a shift is in the journal.
public protocol ShiftStorage: Sendable {
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
