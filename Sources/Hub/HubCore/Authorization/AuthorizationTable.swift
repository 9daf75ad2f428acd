import HubProtocol

/// Something that the hub lets only some callers do. The raw value is the action's stable name.
///
/// To protect something new, add a case here and its row to ``AuthorizationTable/rules``; the caller decides
/// with ``AuthorizationTable/allows(_:by:)``, and `docs/reference/authorization.md` is written anew.
package enum ProtectedAction: String, Hashable, Sendable, CaseIterable {
    case openTerminal, renewToken, readHealth
    case pushJournal, relayJournal, useOrderNumber, reverseOrder, answerMutation, changeMember, adjustPoints,
        redeemCoupon
    case writeNote, movePayment, moveLease, recordShift, recordCardMachine, sendAttachment
    case readCatalogue, readMembers, readCashiers, readCoupons, readStoreRecords, callService
    case reportService, readDecisions, sendTelemetry
    case readOperations, exportRecords, acknowledgeAlarm, overrideStore, overrideChain, confirmOverride
    case importMasterData, mintEnrolmentCodes
    case administer

    /// What a mutation of `type` needs besides ``pushJournal``; nil for a type that the hub does not know.
    package init?(mutationType type: String) {
        switch type {
        case "order.completed": self = .useOrderNumber
        case "order.voided", "refund.completed": self = .reverseOrder
        case "mutation.discarded": self = .answerMutation
        case "member.created", "member.updated": self = .changeMember
        case "points.adjusted": self = .adjustPoints
        case "coupon.redeemed": self = .redeemCoupon
        case "note.upserted", "note.deleted": self = .writeNote
        case "payment.captured", "payment.voided": self = .movePayment
        case MovedLease.given, MovedLease.taken: self = .moveLease
        case "shift.opened", "shift.closed", "cash.moved": self = .recordShift
        case "card.decided", "card.dayClosed": self = .recordCardMachine
        case _: return nil
        }
    }
}

/// One row: the action, the roles that may do it, and the response to all others.
package struct AuthorizationRule: Hashable, Sendable {
    /// Each action has exactly one row.
    package let action: ProtectedAction
    /// The action as the page names it.
    package let what: String
    /// Roles that are allowed; every other role gets the response that ``limits`` names.
    package let who: Set<CallerRole>
    /// The limits, and the response to other callers.
    package let limits: String
}

/// Which role may do what to which data: the one place that decides it.
package enum AuthorizationTable {
    private static let store: Set<CallerRole> = [.ownTerminal, .storeTerminal]
    private static let chain: Set<CallerRole> = [.ownTerminal, .storeTerminal, .chainTerminal]

    /// All rows, in the order of `docs/reference/authorization.md`: terminals, mutations, reads, the hub
    /// itself.
    package static let rules: [AuthorizationRule] = terminalRules + mutationRules + readingRules + hubRules

    private static let terminalRules = [
        AuthorizationRule(
            action: .readHealth, what: "`/healthz`, `/readyz`", who: Set(CallerRole.allCases),
            limits: "contains nobody's data"),
        AuthorizationRule(
            action: .openTerminal, what: "open a terminal of a store", who: [.anybody],
            limits:
                "with an enrolment code of that store, which works once and expires, and a request signed "
                + "by the key that it brings, which is no unrevoked terminal's of another store; otherwise "
                + "`enrolment_refused`"),
        AuthorizationRule(
            action: .renewToken, what: "renew a device token", who: [.ownTerminal],
            limits:
                "signed with the device key for host, terminal and a date later than the last one; a revoked "
                + "terminal is refused, one that the store does not know comes back unconfirmed: until an "
                + "operator confirms it, it gets products and its own notes, and no people or offers"),
    ]

    private static let mutationRules = [
        AuthorizationRule(
            action: .pushJournal, what: "push mutations, begin the next epoch", who: [.ownTerminal],
            limits:
                "the token names the journal's owner; an epoch is the current one or the next one, "
                + "or with its start and a signed head one up to 100 above, otherwise `epoch_invalid`"),
        AuthorizationRule(
            action: .relayJournal,
            what: "`POST /v1/journal/relayed`: hand in another terminal's entries and head",
            who: [.storeTerminal],
            limits:
                "sealed to the hub and signed by their terminal, within its quota; another store's is not "
                + "found; of a revoked or unconfirmed terminal, and where they conflict, they wait for "
                + "`pos-hub terminals accept-relayed`"),
        AuthorizationRule(
            action: .useOrderNumber, what: "`order.completed`: use an order number", who: [.ownTerminal],
            limits: "a number that names another store or terminal is accepted, "
                + "flagged `order_number_foreign`, and counts as used for nobody"),
        AuthorizationRule(
            action: .reverseOrder, what: "`order.voided`, `refund.completed`, `/v1/refunds/decisions`",
            who: store,
            limits: "a terminal of another store is rejected with `order_foreign_store`, unless the refund "
                + "carries the receipt's signed code; what is reserved belongs to the terminal that it was "
                + "granted to, 20 at most"),
        AuthorizationRule(
            action: .answerMutation, what: "`mutation.discarded`, `supersedes`, `dependsOn`",
            who: [.ownTerminal],
            limits: "another terminal's mutation is rejected with `mutation_foreign`; in `dependsOn` it "
                + "counts as missing"),
        AuthorizationRule(
            action: .changeMember, what: "`member.created`, `member.updated`", who: chain,
            limits: "who changed a member last is kept and shown"),
        AuthorizationRule(
            action: .adjustPoints, what: "`points.adjusted`", who: chain,
            limits: "within an amount for each mutation, and for each terminal and day"),
        AuthorizationRule(
            action: .redeemCoupon, what: "`coupon.redeemed`, the coupons of a sale", who: chain,
            limits: "every use is counted; too many are flagged"),
        AuthorizationRule(
            action: .writeNote, what: "`note.upserted`, `note.deleted`", who: store,
            limits: "a note belongs to the store of the terminal that writes it"),
        AuthorizationRule(
            action: .movePayment, what: "`payment.captured`, `payment.voided`, authorisations",
            who: [.ownTerminal], limits: "a key of another terminal is not found"),
        AuthorizationRule(
            action: .moveLease, what: "`lease.given`, `lease.taken`", who: [.ownTerminal],
            limits:
                "by the giver's signed note to a terminal of its store; once for each note, more than was "
                + "lent is flagged `lease_exceeded`, and the giver is lent nothing more"),
        AuthorizationRule(
            action: .recordShift, what: "`shift.opened`, `shift.closed`, `cash.moved`", who: [.ownTerminal],
            limits: "kept in the terminal's own journal"),
        AuthorizationRule(
            action: .recordCardMachine, what: "`card.decided`, `card.dayClosed`", who: [.ownTerminal],
            limits: "kept in the terminal's own journal; the hub moves no money for them"),
        AuthorizationRule(
            action: .sendAttachment, what: "attachments", who: [.ownTerminal],
            limits: "the signed URL of an upload is the credential; ids of other terminals are not found"),
    ]

    private static let readingRules = [
        AuthorizationRule(
            action: .readCatalogue, what: "products, promotions", who: chain, limits: "all of them"),
        AuthorizationRule(
            action: .readMembers, what: "look a member up", who: chain,
            limits: "by exact phone or id, counted; past `limits.memberReadsPerMinute` `rate_limited`"),
        AuthorizationRule(
            action: .readCashiers, what: "cashiers in the change feed", who: store,
            limits: "those of the own store and those for all stores"),
        AuthorizationRule(
            action: .readCoupons, what: "coupons in the change feed", who: chain,
            limits: "digests under a key of the store, for schema 2 and later"),
        AuthorizationRule(
            action: .readStoreRecords, what: "notes, `storeConfig` and `terminalKey` in the change feed",
            who: store, limits: "those of the own store"),
        AuthorizationRule(
            action: .callService, what: "sign-ins, offers", who: chain, limits: "rate-limited by terminal"),
        AuthorizationRule(
            action: .reportService, what: "`POST /v1/qos/reports`", who: [.ownTerminal],
            limits: "own counts; one terminal is one vote"),
        AuthorizationRule(
            action: .readDecisions, what: "`GET /v1/qos/decisions`", who: [.ownTerminal],
            limits: "the decision for this terminal"),
        AuthorizationRule(
            action: .sendTelemetry, what: "telemetry", who: [.ownTerminal], limits: "about itself"),
    ]

    private static let hubRules = [
        AuthorizationRule(
            action: .readOperations, what: "`/`, `/metrics`, `/v1/qos/services`",
            who: [.viewer, .operator, .manager, .localSocket],
            limits: "otherwise 401, and 303 to `/login` for `/`"),
        AuthorizationRule(
            action: .exportRecords, what: "orders, sales, shifts, terminals, alarms, stock, events",
            who: [.viewer, .operator, .manager, .integrator, .localSocket], limits: "read only"),
        AuthorizationRule(
            action: .acknowledgeAlarm, what: "acknowledge an alarm, resolve a refusal, settle a debt",
            who: [.operator, .manager, .localSocket], limits: "with the operator's name kept"),
        AuthorizationRule(
            action: .overrideStore, what: "override a service's state for one store",
            who: [.operator, .manager, .localSocket], limits: "who and why is kept"),
        AuthorizationRule(
            action: .overrideChain, what: "override a service's state for the chain",
            who: [.manager, .localSocket],
            limits: "who and why is kept; it waits for a second operator, except on the local socket"),
        AuthorizationRule(
            action: .confirmOverride, what: "confirm another operator's override for the chain",
            who: [.operator, .manager],
            limits: "within 30 min; the own one is `409 second_operator_required`"),
        AuthorizationRule(
            action: .importMasterData, what: "import products, people and offers",
            who: [.manager, .integrator, .localSocket], limits: "all or nothing"),
        AuthorizationRule(
            action: .mintEnrolmentCodes, what: "`POST /v1/enrolment-codes`", who: [.manager, .localSocket],
            limits: "1,000 at once; who made how many for which store is kept"),
        AuthorizationRule(
            action: .administer,
            what: "enrolment codes, terminals, operators, keys, audit, ingest, migration, backup",
            who: [.localSocket], limits: "the socket belongs to the hub's owner, mode 0600"),
    ]

    /// Whether a caller in `role` may do `action`. What has no row nobody may do.
    package static func allows(_ action: ProtectedAction, by role: CallerRole) -> Bool {
        rules.contains { $0.action == action && $0.who.contains(role) }
    }

    /// The rules as a Markdown table, one column for each role.
    package static var markdown: String {
        let roles = CallerRole.allCases
        let rows = rules.map { rule in
            let marks = roles.map { rule.who.contains($0) ? "yes" : "–" }.joined(separator: " | ")
            return "| `\(rule.action.rawValue)` | \(rule.what) | \(marks) | \(rule.limits) |"
        }
        return
            ([
                "| action | what | \(roles.map(\.rawValue).joined(separator: " | ")) | limits, and otherwise |",
                "| --- | --- |" + String(repeating: " --- |", count: roles.count + 1),
            ] + rows).joined(separator: "\n")
    }
}
