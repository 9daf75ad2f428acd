package import HubProtocol

/// What the intake reads from the store and writes to it within one transaction. Each adapter has one.
package protocol IntakeTransaction {
    /// The terminal's last epoch; nil before its first entry.
    func lastEpoch(of terminalId: String) throws -> JournalEpoch?
    /// All epochs of the terminal that have a row here, the last one last.
    func epochs(of terminalId: String) throws -> [JournalEpoch]
    func save(_ epoch: JournalEpoch, of terminalId: String) throws

    /// What the signed heads of an epoch named; nil when there was none.
    func witness(of place: JournalPlace) throws -> JournalWitness?
    func save(_ witness: JournalWitness, of place: JournalPlace) throws

    /// The entries that terminals minted under an id: none, or one of each device that used it.
    func known(_ id: String) throws -> [KnownMutation]
    func keep(_ record: MutationRecord) throws

    /// The key of the entry that holds a sequence.
    func holder(of sequence: Int64, in place: JournalPlace) throws -> String?
    func link(at sequence: Int64, in place: JournalPlace) throws -> JournalChain.Link?
    /// The entry of this hash that a journal of one of `terminalIds`, in any epoch, has at `sequence`.
    func held(_ sequence: Int64, hash: String, by terminalIds: [String]) throws -> HeldEntry?
    /// - Parameter key: the entry's, ``EntryKey``.
    func enter(_ key: String, at sequence: Int64, in place: JournalPlace) throws
    /// The last sequence of the unbroken run that contains `sequence`.
    func endOfRun(from sequence: Int64, in place: JournalPlace) throws -> Int64
    /// The intervals without entries between two sequences, lowest first, among the first entries
    /// (``JournalEpoch/entriesSearched``) above `low`.
    func gaps(above low: Int64, below high: Int64, in place: JournalPlace) throws -> [ClosedRange<Int64>]
    /// The entry with the highest sequence, and the last order number of the terminal's own that is among the
    /// last entries (``JournalEpoch/entriesSearched``).
    func head(of place: JournalPlace) throws -> JournalHead?

    /// The terminal that pushes, as it was enrolled.
    func known(_ device: DeviceIdentity) throws -> KnownDevice
    /// The status of a mutation of `owners`, with the edits that they made of it.
    func status(of id: String, of owners: [String]) throws -> DependencyStatus
    /// Whether one of `owners` edited a mutation before.
    func isEdited(_ id: String, by owners: [String]) throws -> Bool
    /// Whether an edit or a discard of a mutation is there; called for every mutation.
    func hasResponse(_ id: String) throws -> Bool
    /// What a terminal left here on a day, in days since 1970.
    func usage(of terminalId: String, on day: Int64) throws -> TerminalUsage
    func add(_ usage: TerminalUsage, of terminalId: String, on day: Int64) throws
    /// What sales of a store earned on each business day, as far as they came from a day of the hub on and
    /// before its `today`. The stores keep it for the day, so that a push does not read its whole store.
    func earnedDays(
        of storeId: String, since first: Int64, before today: Int64
    ) throws -> [EarnedDay]
    /// What sales of a terminal, under whichever of its ids, earned by business day, as far as they came from
    /// a day of the hub on; what comes today too.
    func earnedPoints(
        of terminalIds: [String], in storeId: String, since first: Int64
    ) throws -> [Int64: Int64]
    func add(_ earned: [EarnedPoints], of device: DeviceIdentity) throws
    /// Keeps attachments for good, since a mutation names them.
    func keepAttachments(_ ids: [String], of terminalId: String) throws
    /// Those of `ids` that are no complete attachments of a terminal, in the same order.
    func attachmentsMissing(among ids: [String], of terminalId: String) throws -> [String]
    /// The orders that were accepted under an id: none, or one of each device that used it.
    func orders(named id: String) throws -> [OrderState]
    /// A sale and what was given back of it, kept from changing until the transaction ends.
    func refundable(_ sale: RefundableOrder.Key) throws -> RefundableOrder
    /// What was given back of a sale that is only just taken in: under its key, or by the number of its
    /// receipt (nil: another sale has it). None is added before the transaction ends.
    func refunds(of orderId: String, number: String?) throws -> [RefundFacts]
    /// The terminal of that id as it was enrolled, a revoked one too; nil when the hub has none.
    func receiptSigner(_ terminalId: String) throws -> ReceiptSigner?
    /// An entity of a store's feed (an empty `storeId`: of every store's), a deleted one too, kept from
    /// changing until the transaction ends.
    func entity(_ entity: String, _ id: String, in storeId: String) throws -> EntityState?
    /// The first members with these digits of a telephone number, at least two where there are, each with the
    /// time since when it is theirs: empty for ever.
    func memberIds(lookup digits: String) throws -> [(id: String, since: String)]
    /// The id of the coupon with a code as it was typed; nil: there is none.
    func couponId(typed code: String) throws -> String?
    /// What a store's rules of approval are judged by.
    func approvalFacts(in storeId: String) throws -> ApprovalFacts
    /// A lease, an ended one too, kept from changing until the transaction ends.
    func lease(_ id: String) throws -> Lease?
    /// Whether one of `terminalIds` has an open lease.
    func hasLeases(_ terminalIds: [String]) throws -> Bool
    /// When the store was made of a backup, in milliseconds since 1970; nil: it was not.
    func restoredAt() throws -> Int64?
    /// Keeps a lease, in place of the one of the same id.
    func save(_ lease: Lease) throws
    /// Moves an entity to the feed's end with its new state.
    func publish(_ change: FeedChange) throws
    /// A product of the catalogue; nil for a sku that is not in it.
    func product(_ sku: String) throws -> ListedProduct?
    /// What a store sells an article by, beside the catalogue.
    func terms(of sku: String, in storeId: String) throws -> SellingTerms
    /// Adds thousandths of a unit to what was sold of a product; negative for what came back.
    ///
    /// - Returns: what was sold of it in all; nil, with nothing added, when that does not fit 64 bits.
    func sell(_ soldMilli: Int64, of sku: String) throws -> Int64?
    /// Whether a sale whose number counts has this order number.
    func isTaken(orderNumber: String) throws -> Bool
    /// Keeps a finished sale.
    func insert(_ order: CompletedOrder, for record: MutationRecord) throws
    /// Marks an order as voided; one that is voided already, or not there, stays as it is.
    func markVoided(_ orderId: String, by mutationId: String) throws
    /// Keeps what was given back of a sale.
    ///
    /// - Parameters:
    ///   - orderId: empty when the sale is not there, or not named.
    ///   - number: of the sale's receipt, when the refund names it by that.
    func insertRefund(
        _ id: String, of orderId: String, number: String?, _ refund: RefundFacts, for record: MutationRecord
    ) throws
    /// Ends what was granted to terminals under a refund's id (``RefundGrant``); nothing happens where
    /// nothing was.
    func endGrant(of refundId: String, by terminalIds: [String]) throws
    /// Keeps what an accepted mutation adds to the figures of sales.
    func insert(_ entry: SaleEntry, for record: MutationRecord) throws
    /// Keeps the flags of an accepted mutation, also when its result is not kept any more.
    func insert(_ flags: [IntakeFlag], for record: MutationRecord) throws
    /// Adds a document to the journal feed, behind all that were added before.
    func append(_ document: JournalDocument) throws
    /// Keeps why a mutation was refused, also when its result is not kept any more.
    func insertRefusal(_ result: MutationResult, for record: MutationRecord) throws
    /// Keeps that a shift began or ended, by ``KeptShift/insertion``. A beginning changes nothing about a
    /// shift that is there, and a second end in one epoch nothing about the first.
    ///
    /// - Returns: whether something was kept.
    func insert(_ shift: KeptShift) throws -> Bool
    /// Whether another closed shift has one of its entries, by ``KeptShift/overlap``.
    func overlapsAnother(_ shift: KeptShift) throws -> Bool
    /// An entry of a shift was accepted: where it lies behind the shift's end, a confirmed one is disputed
    /// until the restored database closes it, too (``KeptShift/isBehind(epoch:sequence:)``).
    func noteEntry(of shiftId: String, at sequence: Int64, in place: JournalPlace) throws
    /// Lets a disputed shift be compared once more, by ``KeptShift/reconsideration``.
    func reconsider(shift shiftId: String, of terminalId: String) throws
    /// What a mutation of a terminal says; nil when it is not there.
    func payload(of id: String, by terminalId: String) throws -> JSONValue?
    /// Keeps a payment, unless its device has one under its key.
    ///
    /// - Returns: whether it was not.
    func keepPayment(_ payment: PaymentAuthorization, of terminalId: String, at now: Int64) throws -> Bool
    /// By ``PaymentRules/capturable``; the payment service gets it later.
    func capturePayment(key: String, of terminalId: String) throws
    /// What the device of a terminal has under `key`, with the key of its row; nil: nothing.
    func payment(key: String, namedBy terminalId: String) throws -> PaymentAuthorization?
    /// Makes a payment that is unknown authorised: a sale was sold by it.
    ///
    /// - Parameter key: of its row.
    func authorizePayment(key: String, approvalCode: String?) throws
    /// By ``PaymentRules/refundable``; the payment service gets it later.
    ///
    /// - Returns: nil where less was left on the card, of the money of this order.
    func refundPayment(
        key: String, of terminalId: String, orderId: String, amount: Int64, refundId: String
    ) throws -> RefundedCard?
    /// Keeps what a voucher paid of the order of this key.
    ///
    /// - Returns: whether its number paid another sale, by ``VoucherUse/others``.
    func use(_ voucher: VoucherUse, for orderKey: String) throws -> Bool
    /// Keeps of which cart the order of this key is a sale.
    ///
    /// - Returns: whether the cart was sold before in this store, by ``CartSale/others``.
    func sell(_ cart: CartSale, for orderKey: String, in storeId: String) throws -> Bool
    /// By ``VoucherUse/returning``; nothing happens for a voucher that did not pay the order.
    func giveBack(_ voucher: VoucherUse, of orderKey: String) throws
    /// Counts what a terminal's card machine took without its bank, by ``MachineCard/insertion``.
    func count(_ card: MachineCard, of terminalId: String) throws
    /// By ``MachineCard/closing``.
    func closeMachineDay(of terminalId: String) throws
    /// Keeps a payment as stored, unless its device has one under its key: one that was voided ahead stays
    /// voided.
    ///
    /// - Returns: whether it was not known.
    func storePayment(_ payment: StoredPayment, of terminalId: String, at now: Int64) throws -> Bool
    /// By ``PaymentRules/voidable``, where nothing of it was given back before; an unknown key is kept as
    /// voided ahead of its authorisation.
    ///
    /// - Returns: the debt that ended with it; nil: none did.
    func voidPayment(key: String, of terminalId: String, at now: Int64) throws -> EndedDebt?
    /// Keeps what a member was before a terminal changed it.
    func note(_ change: MemberChange) throws
    /// Keeps that a member was at a store, in place of the time before.
    func note(_ visit: MemberVisit) throws
    /// Counts a use of a coupon on its day.
    func note(_ use: CouponUse) throws
    /// Notes that a mutation of the same device was discarded by `record`, also one that has not arrived.
    func insertDiscard(of mutationId: String, by record: MutationRecord) throws

    /// Ends the push when it has taken longer than its budget; called before each mutation.
    func spendTime() throws
    /// Whether other pushes wait and this one has had its part of the writer: it goes on in a transaction of
    /// its own behind them.
    var isTurnOver: Bool { get }
    /// The signatures that were verified in this transaction.
    var proofs: ReceiptProofs { get }

    func clock() throws -> HybridLogicalClock
    func save(_ clock: HybridLogicalClock) throws
    func raise(_ alarm: Alarm) throws
    /// Notes by whom entries came, with them; a piece that is noted stays as it is.
    func note(_ relay: RelayRecord) throws
    /// A piece that waited for a person does not any more, where it does: all of its entries have results.
    func release(_ relay: RelayRecord) throws
}

/// An entry that the hub has, in whichever journal of a device.
package struct HeldEntry: Hashable, Sendable {
    /// ``EntryKey``.
    package let key: String
    /// The hash of the entry before it.
    package let previousHash: String

    /// The entry kept under `key`.
    package init(key: String, previousHash: String) {
        self.key = key
        self.previousHash = previousHash
    }
}

/// One epoch of one terminal's journal.
package struct JournalPlace: Hashable, Sendable {
    /// The terminal's ULID.
    package let terminalId: String
    /// From 1 at enrolment; one more after each restore or clone.
    package let epoch: Int64

    /// The journal of `terminalId` under `epoch`; it need not have entries yet.
    package init(terminalId: String, epoch: Int64) {
        self.terminalId = terminalId
        self.epoch = epoch
    }
}

/// The end of a journal, as a refused copy of it gets it.
package struct JournalHead: Hashable, Sendable {
    let sequence: Int64
    let hash: String
    let orderNumber: String?

    /// - Parameters:
    ///   - sequence: of the last entry.
    ///   - hash: of the last entry.
    ///   - orderNumber: the last one of the terminal's own; nil for none among the last entries.
    package init(sequence: Int64, hash: String, orderNumber: String?) {
        self.sequence = sequence
        self.hash = hash
        self.orderNumber = orderNumber
    }
}

/// An entry that is kept under the id of a mutation.
package struct KnownMutation: Hashable, Sendable {
    let key: String
    let terminalId: String
    let storeId: String?
    let digest: String
    let result: JSONValue
    let receivedAt: Int64

    /// - Parameters:
    ///   - key: what it is kept under, ``EntryKey``.
    ///   - terminalId: whose it is.
    ///   - storeId: the terminal's; nil for one that this hub does not have.
    ///   - digest: of the content that came under the id.
    ///   - result: the first response; null when it is not kept any more.
    ///   - receivedAt: when it was accepted, in milliseconds since 1970.
    package init(
        key: String, terminalId: String, storeId: String?, digest: String, result: JSONValue,
        receivedAt: Int64
    ) {
        self.key = key
        self.terminalId = terminalId
        self.storeId = storeId
        self.digest = digest
        self.result = result
        self.receivedAt = receivedAt
    }
}

/// A terminal as it was enrolled.
package struct KnownDevice: Hashable, Sendable {
    let number: Int64?
    /// Its own id first.
    package let terminalIds: [String]

    /// - Parameters:
    ///   - number: the one in its order numbers; nil for a terminal that this hub did not enrol.
    ///   - terminalIds: its own id, and those under which the same device was enrolled in its store before.
    package init(number: Int64?, terminalIds: [String]) {
        self.number = number
        self.terminalIds = terminalIds
    }
}

/// The status of a mutation that another one depends on.
package enum DependencyStatus: Hashable, Sendable {
    /// It has no result.
    case missing
    /// It is another device's, and this one has none of that id.
    case foreign
    /// It was accepted, or another one that supersedes it was.
    case settled
    /// It was rejected.
    case failed
    /// A person discarded it, after it was refused or before it arrived here.
    case discarded

    /// What the store finds under an id, as its query returns it.
    package enum Finding: Int64, Sendable {
        /// The mutation, or an edit of it, was refused.
        case refused = 0
        /// The mutation, or an edit of it, was accepted.
        case accepted = 1
        /// The mutation itself was discarded.
        case discarded = 2
        /// A mutation of that id is another device's.
        case foreign = 3
    }

    /// - Parameter findings: of the mutation, of each edit that replaces it, and of a discard.
    package init(of findings: [Finding]) {
        if findings.contains(.accepted) {
            self = .settled
        } else if findings.contains(.discarded) {
            self = .discarded
        } else if findings.contains(.refused) {
            self = .failed
        } else {
            self = findings.contains(.foreign) ? .foreign : .missing
        }
    }

    /// How many edits of edits are followed: a person edits a refused sale once or twice. Each costs two
    /// look-ups in the transaction that all pushes wait for: twice as many let a hostile chain of edits cost
    /// twice as much, and half would still be ten times what a person does.
    package static let maximumEdits = 32
}

extension JournalRefusal {
    /// The alarm about a refused push; nil about a relayed piece that is kept aside: that is raised where it
    /// is kept, once.
    package func alarm(about request: IntakeRequest) -> Alarm? {
        let kind: AlarmKind? =
            switch self {
            case .forked: request.way == .relay ? nil : .journalForked
            case .epochSuperseded: request.way == .relay ? nil : .terminalCloned
            case .epochInvalid: request.way == .relay ? nil : .epochInvalid
            case .quotaExceeded: .quotaExceeded
            }
        guard let kind else { return nil }
        return Alarm(
            kind: kind, terminalId: request.device.terminalId, mutationId: request.mutations.first?.id,
            at: request.receivedAt)
    }
}

/// A mutation with its result, as it is kept.
package struct MutationRecord: Sendable {
    /// The mutation as it came in, with the digest and the canonical document.
    package let mutation: ReceivedMutation
    /// What it is kept under, ``EntryKey``: its id, unless another device used that first.
    package let key: String
    /// The terminal that pushed it.
    package let device: DeviceIdentity
    /// The epoch of the journal that the entry belongs to, from 1.
    package let epoch: Int64
    /// The hub's moment of it.
    package let hlc: HybridLogicalClock
    /// The hub's wall clock, in milliseconds since 1970.
    package let receivedAt: Int64
    /// The refused mutation that it replaces; nil where it may not.
    package internal(set) var supersedes: String?
    /// What the order of a sale is kept under, ``OrderState/key``.
    package internal(set) var orderKey: String?
    /// Whether the number of the sale counts as used.
    package internal(set) var numberCounts = true
    /// Nil until the rules have decided.
    package internal(set) var result: MutationResult?

    init(
        _ mutation: ReceivedMutation, key: String, from device: DeviceIdentity, epoch: Int64,
        hlc: HybridLogicalClock, receivedAt: Int64
    ) {
        self.mutation = mutation
        self.key = key
        self.device = device
        self.epoch = epoch
        self.hlc = hlc
        self.receivedAt = receivedAt
        supersedes = mutation.supersedes
    }

    /// The origin of a change, for the feed: terminal, store and mutation.
    var origin: JSONValue {
        [
            "terminalId": .string(device.terminalId), "mutationId": .string(mutation.id),
            "storeId": .string(device.storeId),
        ]
    }
}
