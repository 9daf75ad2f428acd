internal import Base
internal import Credentials
package import HubCore
package import HubProtocol

/// The change feed as the terminals of one store may see it (docs/concepts/security.md, People).
///
/// The stores keep coupons by their codes and members by their profiles. What a terminal gets of them is
/// enough to find what a customer shows and no more:
/// - of a coupon the keyed digest in the place of its code;
/// - of a member points, tier and the keyed digest of the phone, the name only where the store is configured
///   so;
/// - in its `storeConfig` the store's own keys of those digests, and which payment service the hub has.
///
/// A lease goes to the one terminal that it is for, with the coupon's digest as its subject.
///
/// Terminals get each other's keys, by which receipts are signed, from schema 3 on, and prices, listings and
/// stocks and what is for one terminal alone from schema 4 on: an earlier one would not know what they are
/// about.
///
/// A promotion with terms that terminals before schema 5 do not have comes to these as a tombstone: they
/// would give it without the terms, and one that they had before changed.
///
/// Terminals of an earlier schema than 2 cannot use digests. They get no coupons, and members without
/// phone and name: they look these up at the hub, as they do online anyway.
///
/// `origin` names the mutation to the store alone in which it was made.
///
/// The cursor contains the form in which rows are shown. A terminal with a cursor of another form (of a hub
/// or terminal of before, of other keys, or of the time before names or the payment service were switched)
/// begins anew, and so deletes what it had.
package struct FeedView: Sendable {
    private let ledger: any Ledger
    private let payments: String
    private let sign: @Sendable (LeaseRecord) -> LeaseRecord

    /// The field of a member's value with the time since when the phone is theirs.
    static let phoneSince = "phoneSince"
    /// The first schema whose terminals know digests.
    private static let firstWithDigests: Int64 = 2
    /// The first schema whose terminals know the entity `terminalKey`.
    private static let firstWithTerminalKeys: Int64 = 3
    /// The first schema whose terminals know the entities `price`, `listing` and `stock`, and
    /// `statement`.
    private static let firstWithPrices: Int64 = 4
    /// The first schema whose terminals know the entity `lease`.
    package static let firstWithLeases: Int64 = 4

    /// The first schema whose terminals have ``PromotionTerms``.
    private static let firstWithTerms: Int64 = 5

    /// - Parameters:
    ///   - payments: the hub's payment service: `none`, `simulator` or `http`.
    ///   - sign: signs a lease as its terminal gets it, with the hub's key; unsigned without one.
    package init(
        ledger: any Ledger, payments: String = "none",
        sign: @escaping @Sendable (LeaseRecord) -> LeaseRecord = { $0 }
    ) {
        self.ledger = ledger
        self.payments = payments
        self.sign = sign
    }

    /// What changed behind `cursor`; nil for a cursor that this view cannot go on from.
    ///
    /// - Parameters:
    ///   - terminalId: who gets it; nil: no terminal's own rows are shown.
    ///   - schema: what the terminal speaks.
    ///   - now: milliseconds since 1970, for the keys of a store that has none yet.
    package func page(
        after cursor: ChangeCursor?, limit: Int, storeId: String, terminalId: String? = nil, schema: Int64,
        at now: Int64
    ) async throws(LedgerError) -> FeedPage? {
        let form = try await form(of: storeId, schema: schema, at: now)
        guard cursor == nil || cursor?.form == form.text else { return nil }
        let audiences = terminalId.map { FeedAudience.all(of: $0, in: storeId) } ?? ["", storeId]
        guard let page = try await ledger.changes(after: cursor, limit: limit, audiences: audiences) else {
            return nil
        }
        return FeedPage(
            changes: page.changes.compactMap {
                form.shown($0, to: terminalId, phoneSince: page.phoneSince[$0.entityId])
            },
            cursor: ChangeCursor(
                feed: page.cursor.feed, position: page.cursor.position, form: form.text),
            hasMore: page.hasMore)
    }

    /// Leases as the terminal that they are for gets them.
    package func records(
        of leases: [Lease], storeId: String, at now: Int64
    ) async throws(LedgerError) -> [LeaseRecord] {
        let form = try await form(of: storeId, schema: Self.firstWithLeases, at: now)
        return leases.map { form.shown($0.record, to: $0.terminalId) }
    }

    private func form(
        of storeId: String, schema: Int64, at now: Int64
    ) async throws(LedgerError) -> FeedForm {
        guard schema >= Self.firstWithDigests else {
            return FeedForm(storeId: storeId, digests: nil, showsNames: false, sign: sign)
        }
        let keys = try await ledger.storeKeys(of: storeId, at: now)
        guard let coupons = LookupKey(base64: keys.couponKey), let phones = LookupKey(base64: keys.phoneKey)
        else { throw .failed("the look-up keys of the store \(storeId) are damaged") }
        let names = try await ledger.storeSettings(of: storeId).values[StoreSetting.memberNames.key]
        return FeedForm(
            storeId: storeId, digests: FeedForm.Digests(keys: keys, coupons: coupons, phones: phones),
            showsNames: names == "on", sign: sign, showsTerminalKeys: schema >= Self.firstWithTerminalKeys,
            showsPrices: schema >= Self.firstWithPrices, showsTerms: schema >= Self.firstWithTerms,
            payments: payments)
    }
}

/// How the rows of one page are shown.
private struct FeedForm {
    struct Digests {
        let keys: StoreLookupKeys
        let coupons: LookupKey
        let phones: LookupKey
    }

    /// Who gets the page.
    let storeId: String
    /// Nil for a terminal without digests.
    let digests: Digests?
    let showsNames: Bool
    let sign: @Sendable (LeaseRecord) -> LeaseRecord
    /// A terminal that learns to use them begins anew, and so gets those of before.
    var showsTerminalKeys = false
    /// Likewise.
    var showsPrices = false
    /// Likewise.
    var showsTerms = false
    /// Terminals without digests do not use this field.
    var payments = FeedForm.noPayments

    static let noPayments = "none"

    /// What makes this form another one than the last.
    var text: String {
        guard let digests else { return "1" }
        // Without a service as before, or every terminal would begin anew with this version.
        let service = payments == Self.noPayments ? "" : payments
        let number = showsTerms ? 5 : showsPrices ? 4 : showsTerminalKeys ? 3 : 2
        return
            "\(number)\(showsNames ? "n" : "")\(service)-\(digests.coupons.fingerprint)\(digests.phones.fingerprint)"
    }

    /// Nil for a row that is not shown at all.
    func shown(_ change: Change, to terminalId: String?, phoneSince: String?) -> Change? {
        let change = change.withoutMutation(outside: storeId)
        return switch change.entity {
        case "coupon": digests.map { coupon(change, $0.coupons) }
        case "member": change.with(value: change.value.map { member($0, phoneSince) })
        case TerminalKey.entity: showsTerminalKeys ? change : nil
        case PriceRecord.entity, ListingRecord.entity, StockRecord.entity: showsPrices ? change : nil
        case LeaseRecord.entity: showsPrices ? lease(change, of: terminalId) : nil
        case ShiftStatement.entity: showsPrices ? change : nil
        case "promotion": promotion(change)
        case "storeConfig":
            change.with(value: digests.map { configuration(change.value ?? [:], $0.keys) } ?? change.value)
        case _: change
        }
    }

    private func promotion(_ change: Change) -> Change {
        guard !showsTerms, let value = change.value, PromotionTerms.areNeeded(for: value) else {
            return change
        }
        // The clock's first digits are milliseconds (http.md section 1).
        let changedAt = Int64(change.hlc.prefix(13)) ?? 0
        return Change(
            entity: change.entity, entityId: change.entityId, version: change.version, isDeleted: true,
            deletedAt: Timestamp.text(milliseconds: changedAt), hlc: change.hlc, origin: change.origin,
            value: nil)
    }

    private func configuration(_ value: JSONValue, _ keys: StoreLookupKeys) -> JSONValue {
        var members = keys.added(to: value).object ?? [:]
        members[StoreSettings.payments] = .string(payments)
        // Named always: by this a terminal sees that this hub gives money back to cards.
        if showsPrices, members[TenderList.key] == nil {
            members[TenderList.key] = TenderList.standard(takesCards: payments != Self.noPayments).json
        }
        return .object(members)
    }

    /// Without its origin, which says only whose it is.
    private func lease(_ change: Change, of terminalId: String?) -> Change? {
        guard let terminalId, change.origin?["terminalId"]?.string == terminalId else { return nil }
        guard let record = change.value.flatMap({ try? LeaseRecord(json: $0) }) else { return change }
        return change.with(value: shown(record, to: terminalId).json)
    }

    /// A lease with the subject by which the terminal has it, signed as such.
    func shown(_ lease: LeaseRecord, to terminalId: String) -> LeaseRecord {
        var shown = lease
        if lease.kind == .coupon, let digests {
            shown = lease.about(digests.coupons.digest(ofCoupon: lease.subject))
        }
        shown.terminalId = terminalId
        return sign(shown)
    }

    private func coupon(_ change: Change, _ key: LookupKey) -> Change {
        let digest = key.digest(ofCoupon: change.entityId)
        var fields = change.value?.object
        fields?["code"] = .string(digest)
        return change.with(entityId: digest, value: fields.map(JSONValue.object))
    }

    private func member(_ value: JSONValue, _ phoneSince: String?) -> JSONValue {
        var fields: JSONObject = ["points": .integer(value["points"]?.integer ?? 0)]
        fields["tier"] = value["tier"]?.string.map(JSONValue.string)
        fields[MemberRecord.mergedInto] = value[MemberRecord.mergedInto]
        guard let digests else { return .object(fields) }
        if showsNames { fields["name"] = value["name"]?.string.map(JSONValue.string) }
        if let digits = value["phone"]?.string.flatMap(MemberRecord.lookupDigits) {
            fields["phone"] = .string(digests.phones.digest(ofPhone: digits))
            fields[FeedView.phoneSince] = phoneSince.map(JSONValue.string)
        }
        return .object(fields)
    }
}

extension Change {
    /// Its origin names the mutation to the terminals of the store where that was made, which know their own
    /// changes by it. The others need to know who, and no id of another store's journal.
    fileprivate func withoutMutation(outside storeId: String) -> Change {
        guard var members = origin?.object, members["storeId"]?.string != storeId else { return self }
        members["mutationId"] = nil
        return Change(
            entity: entity, entityId: entityId, version: version, isDeleted: isDeleted, deletedAt: deletedAt,
            hlc: hlc, origin: .object(members), value: value)
    }

    fileprivate func with(entityId: String? = nil, value: JSONValue?) -> Change {
        Change(
            entity: entity, entityId: entityId ?? self.entityId, version: version, isDeleted: isDeleted,
            deletedAt: deletedAt, hlc: hlc, origin: origin, value: value)
    }
}
