package import Base
internal import Credentials
package import HubCore
package import HubProtocol

/// The store of orders and of all that belongs to them. Every call is one transaction, durable when it
/// returns.
package protocol Ledger: JournalLedger, TerminalLedger, CatalogueLedger, EntityLedger, StoreSettingsLedger,
    StoreKeyLedger, PaymentLedger, OperatorLedger, OperatorLogLedger, RetentionLedger, AttachmentLedger,
    TelemetryLedger, KeyLedger, AlarmLedger, MemberReadLedger, HeadLedger, IngestLedger, RelayLedger,
    ReceiptLedger, SalesLedger, FleetLedger, QueryLedger, LeaseLedger, RefundLedger, JournalFeedLedger,
    WebhookLedger, ArchiveLedger
{
    /// Whether a transaction that writes can begin now.
    ///
    /// - Throws: within about a second when it cannot.
    func checkWritable() async throws(LedgerError)

    /// Reads everything and lists what is not as the store left it. Takes minutes on a large one.
    func check() async throws(LedgerError) -> StoreCheck
}

/// What a check of a whole store came to.
package struct StoreCheck: Hashable, Sendable {
    /// What is damaged, in the store's messages; empty when all is well.
    package let findings: [String]
    package let looked: [String]

    /// The most findings that are listed: a damaged page brings hundreds of them, and the first ones show
    /// where.
    package static let listed = 100

    package init(findings: [String], looked: [String]) {
        self.findings = findings
        self.looked = looked
    }

    /// `{"intact","findings","checked"}`; `intact` is true without findings.
    package var json: JSONValue {
        [
            "intact": .bool(findings.isEmpty), "findings": .array(findings.map(JSONValue.string)),
            "checked": .array(looked.map(JSONValue.string)),
        ]
    }
}

/// Accepts what terminals push.
package protocol JournalLedger: Sendable {
    /// Accepts a push: effects, keys, responses and feed entries together, or nothing.
    func ingest(_ request: IntakeRequest) async throws(LedgerError) -> IntakeResponse

    /// What was sold and received, and what is missing; of one terminal or of all.
    func audit(terminal: String?) async throws(LedgerError) -> [TerminalAudit]
}

/// Finds the sales of receipts.
package protocol ReceiptLedger: Sendable {
    /// The sale that a receipt's code names, with what came back of it, and whether the code is signed. It
    /// waits for no push.
    func receipt(_ code: ReceiptCode) async throws(LedgerError) -> ReceiptRefund
}

/// Decides about refunds and voids before money moves.
package protocol RefundLedger: Sendable {
    /// Decides, and reserves what is granted; durable when it returns.
    ///
    /// - Parameter now: the hub's wall clock, in milliseconds since 1970.
    func decide(
        _ wish: RefundWish, by device: DeviceIdentity, at now: Int64
    ) async throws(LedgerError) -> RefundOutcome

    /// Gives back what is reserved for a terminal under a refund's id; nothing happens where nothing is.
    func releaseRefund(_ refundId: String, of device: DeviceIdentity) async throws(LedgerError)
}

/// Keeps the signed heads of journals.
package protocol HeadLedger: Sendable {
    /// Notes a head that came without mutations, and raises what it shows.
    ///
    /// - Parameter now: the hub's wall clock, in milliseconds since 1970.
    func note(
        _ claim: HeadClaim, of device: DeviceIdentity, at now: Int64
    ) async throws(LedgerError)
}

/// Keeps the tills.
package protocol TerminalLedger: Sendable {
    /// Keeps enrolment codes of a store by their digests, all or none. Times are milliseconds since 1970.
    func keepEnrolmentCodes(
        _ digests: [String], storeId: String, expiresAt: Int64
    ) async throws(LedgerError)

    /// Whether one of the digests is that of a code that is neither used, revoked nor expired. A read: it
    /// waits for no writer.
    func isEnrolmentCodeOpen(_ digests: [String], at now: Int64) async throws(LedgerError) -> Bool

    /// Uses a code up and enrols a terminal with it; nil when the code is unknown, used or expired, or the
    /// key is that of an unrevoked terminal of another store: a device is in one store.
    func enrol(_ applicant: EnrolmentApplicant, at now: Int64) async throws(LedgerError) -> TerminalRecord?

    func terminal(_ id: String) async throws(LedgerError) -> TerminalRecord?

    /// Every terminal in order of enrolment.
    func terminals() async throws(LedgerError) -> [TerminalRecord]

    /// Notes until when a terminal's new token holds, and the date that it signed for it.
    ///
    /// - Returns: false when a renewal of that date or a later one was granted before; nothing is noted then.
    func renew(_ id: String, tokenExpiresAt: Int64, date: Int64) async throws(LedgerError) -> Bool

    /// Takes back a terminal that this store does not know, with the number of its token unless that is
    /// another's by now. Numbers given from then on are higher.
    ///
    /// - Returns: the terminal as it is kept, also when it was known after all.
    func readmit(_ terminal: TerminalRecord) async throws(LedgerError) -> TerminalRecord

    /// Ends an unconfirmed terminal's waiting; nil when there is none of that id.
    func confirm(_ id: String) async throws(LedgerError) -> TerminalRecord?

    /// Makes a terminal, with all that are one device with it, one device with an earlier one of its store
    /// (``TerminalRecord/objection(toLinkTo:)``).
    func link(_ id: String, to earlier: String) async throws(LedgerError)

    /// The codes that are not expired for longer than 31 days, the longest validity of one; the next to
    /// expire first.
    func enrolmentCodes(at now: Int64) async throws(LedgerError) -> [EnrolmentCodeRecord]

    /// Takes a code back that was not used; nil when none of that id can be.
    func revokeEnrolmentCode(_ id: String, at now: Int64) async throws(LedgerError) -> EnrolmentCodeRecord?

    /// Revokes a terminal; nil when there is none of that id. Repeating it changes nothing.
    func revoke(_ id: String, at now: Int64) async throws(LedgerError) -> TerminalRecord?
}

/// The catalogue and its change feed.
package protocol CatalogueLedger: Sendable {
    /// Imports products, all or none. Products that the list does not name stay as they are.
    ///
    /// - Parameter gone: the skus of products that are withdrawn: a tombstone takes their place in the feed.
    func importProducts(
        _ products: [ProductRecord], withdrawing gone: [String], at now: Int64
    ) async throws(LedgerError) -> ImportOutcome

    func product(barcode: String) async throws(LedgerError) -> ProductRecord?

    /// Those of `skus` that are known.
    func products(skus: [String]) async throws(LedgerError) -> [ProductRecord]

    /// What changed behind `cursor`; nil for a cursor that this feed cannot serve.
    ///
    /// - Parameter audiences: of ``FeedAudience``; rows of others are left out.
    func changes(
        after cursor: ChangeCursor?, limit: Int, audiences: [String]
    ) async throws(LedgerError) -> FeedPage?
}

extension CatalogueLedger {
    /// Imports products and withdraws none.
    package func importProducts(
        _ products: [ProductRecord], at now: Int64
    ) async throws(LedgerError) -> ImportOutcome {
        try await importProducts(products, withdrawing: [], at: now)
    }

    /// What all terminals of a store get.
    package func changes(
        after cursor: ChangeCursor?, limit: Int, storeId: String
    ) async throws(LedgerError) -> FeedPage? {
        try await changes(after: cursor, limit: limit, audiences: ["", storeId])
    }
}

/// What stores tune from the hub.
package protocol StoreSettingsLedger: Sendable {
    /// Empty for a store that tunes nothing, an unknown one included.
    func storeSettings(of storeId: String) async throws(LedgerError) -> StoreSettings

    /// Changes settings by their keys, null taking one back, and puts what holds then into the store's feed.
    ///
    /// - Returns: what holds then.
    func changeStoreSettings(
        _ changes: JSONObject, of storeId: String, at now: Int64
    ) async throws(LedgerError) -> StoreSettings
}

/// The secrets by which the terminals of a store look coupons and phones up.
package protocol StoreKeyLedger: Sendable {
    /// A store's keys, made when it has none; with them comes a `storeConfig` into the store's feed, if there
    /// was none, to carry them.
    ///
    /// - Parameter now: milliseconds since 1970.
    func storeKeys(of storeId: String, at now: Int64) async throws(LedgerError) -> StoreLookupKeys
}

/// A payment that the service has not decided, as the hub requests it.
package struct UndecidedPayment: Hashable, Sendable {
    /// ``PaymentAuthorization/State/unknown`` or `storedOffline`.
    package let payment: PaymentAuthorization
    /// The terminal that it came from.
    package let terminalId: String
    /// The sealed token of a stored one.
    package let sealed: PaymentDetails.SealedToken?
    /// When the terminal stored it, milliseconds since 1970; nil for one that is unknown.
    package let storedAt: Int64?

    package init(
        payment: PaymentAuthorization, terminalId: String, sealed: PaymentDetails.SealedToken?,
        storedAt: Int64?
    ) {
        self.payment = payment
        self.terminalId = terminalId
        self.sealed = sealed
        self.storedAt = storedAt
    }
}

/// What the payment service has to get about a payment that it granted.
package struct PaymentCall: Hashable, Sendable {
    /// What is to be done; the raw value is the last part of the gateway's path.
    package enum Kind: String, Hashable, Sendable {
        case capture, void, refund
    }

    /// Counts up; calls of one payment are made in this order.
    package let id: Int64
    package let key: String
    /// The terminal that requested the payment.
    package let terminalId: String
    /// What is to be done.
    package let kind: Kind
    /// The idempotency key of the call.
    package let callKey: String
    /// Minor units.
    package let amount: Int64
    /// ISO 4217.
    package let currency: String

    package init(
        id: Int64, key: String, terminalId: String, kind: Kind, callKey: String, amount: Int64,
        currency: String
    ) {
        self.id = id
        self.key = key
        self.terminalId = terminalId
        self.kind = kind
        self.callKey = callKey
        self.amount = amount
        self.currency = currency
    }
}

/// A stored payment that the service refused: goods are gone and no money came.
package struct PaymentDebt: Hashable, Sendable {
    /// The refused payment, with the reason.
    package let payment: PaymentAuthorization
    /// The terminal that took it.
    package let terminalId: String
    /// When it was refused, milliseconds since 1970.
    package let refusedAt: Int64

    package init(payment: PaymentAuthorization, terminalId: String, refusedAt: Int64) {
        self.payment = payment
        self.terminalId = terminalId
        self.refusedAt = refusedAt
    }

    /// As the audit, the dashboard and back offices show it.
    package var json: JSONValue {
        [
            "key": .string(payment.key), "orderId": .string(payment.orderId),
            "terminalId": .string(terminalId),
            "amount": ["amount": .integer(payment.amount), "currency": .string(payment.currency)],
            "reason": JSONValue(payment.declineReason),
            "refusedAt": .string(Timestamp.text(milliseconds: refusedAt)),
        ]
    }
}

/// The payments of terminals and what the payment service has to get of them.
package protocol PaymentLedger: Sendable {
    /// Notes that a debt was paid or written off.
    ///
    /// - Returns: false where no debt of that key is open.
    func settleDebt(
        _ key: String, _ way: DebtSettledDocument.Way, by name: String, reason: String, at now: Int64
    ) async throws(LedgerError) -> Bool

    /// Keeps `wanted` unless its key is known. A new row counts in the terminal's quota of the day.
    ///
    /// - Returns: what is kept under the key. A key that was voided ahead takes order and amount and stays
    ///   voided.
    func decide(
        _ wanted: PaymentAuthorization, by terminalId: String, at now: Int64, within limits: IntakeLimits
    ) async throws(LedgerError) -> PaymentOutcome

    /// Counts `more` of a terminal in its quota of the day.
    ///
    /// - Returns: whether it had room; otherwise nothing is counted.
    func count(
        _ more: TerminalUsage, of terminalId: String, at now: Int64, within limits: IntakeLimits
    ) async throws(LedgerError) -> Bool

    func payment(key: String, of terminalId: String) async throws(LedgerError) -> PaymentAuthorization?

    /// Captures what is authorised; anything else stays. Nil for an unknown key.
    func capture(key: String, of terminalId: String) async throws(LedgerError) -> PaymentAuthorization?

    /// Voids what is kept under `key`, or the key itself, so that a late authorisation under it is voided.
    /// What an accepted sale that is not voided was paid by stays as it is. An unknown key counts in the
    /// terminal's quota of the day; money that is reserved is given up whatever the quota.
    func void(
        key: String, of terminalId: String, at now: Int64, within limits: IntakeLimits
    ) async throws(LedgerError) -> PaymentVoiding

    /// Keeps what the service decided, by ``PaymentRules/settled(_:by:)``, with an alarm about a debt. A
    /// payment that was decided or voided meanwhile stays as it is; what was reserved for a voided one is
    /// voided at the service once more, which may have got the void before it.
    ///
    /// - Returns: what is kept under the key then; nil for an unknown one.
    func settle(
        key: String, by decision: PaymentDecision, at now: Int64
    ) async throws(LedgerError) -> PaymentAuthorization?

    /// Payments that the service has not decided: unknown ones, the newest first, since somebody waits for
    /// it, and stored ones, of each terminal in the order in which they arrived, the first ones of all
    /// terminals before the second ones.
    ///
    /// - Parameter limit: of each of both, from 1 on.
    func undecidedPayments(limit: Int) async throws(LedgerError) -> [UndecidedPayment]

    /// The first call of each payment that the service has to get, the terminals in turns and the oldest
    /// first, without what is about undecided payments.
    ///
    /// - Parameter limit: from 1 on.
    func paymentCalls(limit: Int) async throws(LedgerError) -> [PaymentCall]

    /// The service has got it, or refused it for good: then a capture leaves a debt, and a refund an alarm.
    func finish(_ call: PaymentCall, isRefused: Bool, at now: Int64) async throws(LedgerError)

    /// The debts, oldest first, of one terminal or of all.
    func paymentDebts(of terminalId: String?) async throws(LedgerError) -> [PaymentDebt]
}

/// Removes what is old, as ``RetentionPeriods`` and fixed rules say.
package protocol RetentionLedger: Sendable {
    /// Removes what is old of one kind, in transactions of some rows each, so that pushes do not wait for
    /// long. It ends early when its task is cancelled. Several hubs of one store may do it at once.
    ///
    /// - Parameters:
    ///   - moment: what is as old or older goes, in milliseconds since 1970.
    /// - Returns: how many responses, or rows of the kind's table.
    func remove(_ kind: RetentionKind, until moment: Int64) async throws(LedgerError) -> Int

    /// Removes what was counted of days that no limit and no measure looks back to.
    ///
    /// - Parameter now: milliseconds since 1970.
    func removeOldCounts(at now: Int64) async throws(LedgerError)
}

extension RetentionLedger {
    /// Removes what is older than its period.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: as ``remove(_:until:)``.
    package func remove(
        _ kind: RetentionKind, after periods: RetentionPeriods = RetentionPeriods(), at now: Int64
    ) async throws(LedgerError) -> Int {
        try await remove(kind, until: now - periods.milliseconds(of: kind))
    }
}

/// Keeps the operators of the hub.
package protocol OperatorLedger: Sendable {
    /// Keeps an operator; a known name gets the new role, token and login code, and loses its password.
    func keepOperator(_ record: OperatorRecord) async throws(LedgerError)

    /// The operator whose token has the digest; nil for nobody's.
    func operatorRecord(tokenDigest: String) async throws(LedgerError) -> OperatorRecord?

    /// All operators, by name.
    func operators() async throws(LedgerError) -> [OperatorRecord]

    /// Removes an operator with token and password.
    ///
    /// - Returns: whether there was one of that name.
    func removeOperator(name: String) async throws(LedgerError) -> Bool

    /// Sets a password and uses the login code up, in one step: of two that race one wins.
    ///
    /// - Returns: whether the operator had that unused code.
    func setOperatorPassword(
        name: String, hash: String, loginCodeDigest: String
    ) async throws(LedgerError) -> Bool
}

/// Keeps what operators did, each entry chained to the one before it; nothing of it is ever changed.
package protocol OperatorLogLedger: Sendable {
    /// Appends acts in their order, in one transaction.
    func keepActs(_ acts: [OperatorAct]) async throws(LedgerError)

    /// The entries behind a number, oldest first; 0 for the beginning.
    ///
    /// - Parameter limit: from 1 on.
    func loggedActs(after sequence: Int64, limit: Int) async throws(LedgerError) -> [LoggedAct]

    /// How many entries there are.
    func loggedActCount() async throws(LedgerError) -> Int64
}

extension StoreLookupKeys {
    /// New random ones.
    package static var fresh: StoreLookupKeys {
        StoreLookupKeys(couponKey: LookupKey().base64, phoneKey: LookupKey().base64)
    }
}

/// Keeps what a person should look at. Alarms are raised by the intake and by the checks of a terminal's
/// signatures and keys.
package protocol AlarmLedger: Sendable {
    /// Raises an alarm. One of the same kind and terminal on the same day is counted and not kept again, so
    /// that no terminal fills the store with them.
    func raise(_ alarm: Alarm) async throws(LedgerError)

    /// The newest alarms first, of one terminal or of all.
    ///
    /// - Parameter limit: from 1 on.
    func alarms(terminal: String?, limit: Int) async throws(LedgerError) -> [RaisedAlarm]
}

/// What the store of orders holds of the hub's keys.
package protocol KeyLedger: Sendable {
    func keyRecord() async throws(LedgerError) -> KeyRecord

    /// Replaces what is held, when that is still `old`.
    ///
    /// - Returns: false when another process was faster; nothing was written.
    func keep(_ record: KeyRecord, insteadOf old: KeyRecord) async throws(LedgerError) -> Bool
}

/// The hub's keys in its store. The public halves are always there: they show when the key file is lost or
/// belongs to another hub. The private halves are there only where no file has them.
package struct KeyRecord: Hashable, Sendable {
    /// JSON; nil in a store that no hub has served yet.
    package var publicKeys: String?
    /// JSON; nil where a file holds them.
    @Secret package var privateKeys: String?

    /// Makes a record; by default every part is nil, as in a store that holds no keys.
    package init(publicKeys: String? = nil, privateKeys: String? = nil) {
        self.publicKeys = publicKeys
        self.privateKeys = privateKeys
    }

    /// The names in the table `meta`, with the values.
    package var rows: [(key: String, value: String?)] {
        [("hub_public_keys", publicKeys), ("hub_private_keys", privateKeys)]
    }

    package init(rows: [String: String]) {
        publicKeys = rows["hub_public_keys"]
        privateKeys = rows["hub_private_keys"]
    }

    /// Reads what ``init(rows:)`` takes.
    package static let selection =
        "SELECT key, value FROM meta WHERE key IN ('hub_public_keys', 'hub_private_keys')"
}

/// The tokens without which nobody can come in: those of operators that have no password.
package enum EndingTokens {
    /// Their names and ends, the first to end first.
    package static let selection =
        "SELECT name, token_expires_at FROM operators "
        + "WHERE password_hash IS NULL AND token_expires_at IS NOT NULL ORDER BY token_expires_at, name"
}
