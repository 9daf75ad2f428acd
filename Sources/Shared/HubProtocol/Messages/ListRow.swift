/// A row of a list of the back office, as routes and commands show it. Its members are the cases of `Member`,
/// named once for whoever writes and whoever reads them.
package struct ListRow<Member: RawRepresentable<String> & Hashable & Sendable>: Sendable {
    package let json: JSONValue

    package init(_ json: JSONValue) { self.json = json }

    package init(_ members: [Member: JSONValue]) {
        json = .object(JSONObject(members.map { ($0.key.rawValue, $0.value) }))
    }

    /// Nil: it is missing or null.
    package subscript(_ member: Member) -> JSONValue? { json[member.rawValue] }
    package func text(_ member: Member, or absent: String = "") -> String { self[member]?.string ?? absent }
    package func number(_ member: Member) -> Int64 { self[member]?.integer ?? 0 }
    package func list(_ member: Member) -> [JSONValue] { self[member]?.array ?? [] }
}

package enum OrderMember: String, Sendable {
    case orderId, orderNumber, mutationId, storeId, terminalId, cashierId, businessDay, soldAt, receivedAt
    case state, type, document
    case voidedBy, currency, total, discounts, tax, refunded, payload, reversals, flags, archived
    case lines, payments, change, cashRounding, memberId, approverId, mode, coupons
}

/// A void or a refund of an order, in its `reversals`.
package enum ReversalMember: String, Sendable {
    case kind, mutationId, storeId, terminalId, cashierId, businessDay, receivedAt, currency, amount, reason
    case approverId
}

/// `state` is one of ``Archive/State``; `header` is the first line of the file.
package enum ArchiveMember: String, Sendable {
    case id, file, state, before, through, hash, entries, documents, begunAt, header
}

/// Without the secret.
package enum WebhookMember: String, Sendable {
    case webhookId, url, types, addedAt, cursor, failures, failingSince, nextTry, problem, deliveredAt
}

package enum AlarmMember: String, Sendable {
    case id, kind, terminalId, storeId, mutationId, detail, raisedAt, lastAt, count, state, acknowledgedAt
    case acknowledgedBy, note
}

/// Of a card that was taken offline and refused afterwards; `settlement` is null while it is open. The sums
/// of stores have a `count`.
package enum DebtMember: String, Sendable {
    case id, terminalId, storeId, shiftId, orderId, orderNumber, amount, original, currency, reason, takenAt
    case refusedAt, state, settlement, count
}

/// What a page shows of a ``ShiftStatement``.
package enum StatementMember: String, Sendable {
    case epoch, sold, received, gap, keyId, issuedAt, head
}

/// What a person decided on a debt or a refused mutation; `keep` of the latter alone.
package enum DecisionMember: String, Sendable {
    case at, by, keep, reason
}

package enum RefusalMember: String, Sendable {
    case id, type, entityId, sequence, terminalId, storeId, outcome, state, receivedAt, orderNumber, amount
    case currency, problem, policy, serverState, resolution, payload
}

/// What the hub remarked on a mutation that it accepted.
package enum FlagMember: String, Sendable {
    case flag, mutationId, type, terminalId, storeId, orderNumber, receivedAt
}

/// A shift as its terminal closed it; from `cash` on the members are missing while it is open, and those of a
/// card machine (``ShiftCardMachine``) until it is compared.
package enum ShiftMember: String, Sendable {
    case shiftId, terminalId, storeId, state, businessDay, currency, openedAt, openedBy, closedAt, closedBy
    case float, epoch, statements, differences, debts, debtTotal
    case cash, counted, sales, refunds, voids, cashMoves, tenders, taxes, points, sequence, head, uncounted
    case cardDays, cardDecisions
    /// Of one that is not settled: what the hub does not have, when the till showed itself last, and of an
    /// open one what it comes to so far.
    case missing, lastHeard, soFar

    /// Those of the closing.
    package static let closing: [ShiftMember] = [
        .cash, .counted, .sales, .refunds, .voids, .cashMoves, .tenders, .taxes, .points, .sequence, .head,
    ]
    /// Those of a card machine; missing where there is nothing of one.
    package static let cardMachine: [ShiftMember] = [.cardDays, .cardDecisions]
}

/// `left` is what the lease reserves; of a released one `risk` is what can be spent twice at most.
package enum LeaseMember: String, Sendable {
    case leaseId, kind, subject, terminalId, storeId, epoch, amount, used, left, state, issuedAt, expiresAt
    case recalled, silentSince, risk, releasedBy, releasedAt, reason
}
