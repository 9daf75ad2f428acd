package import HubProtocol

/// A row of a list of the back office, as routes and commands show it. Its members are the cases of `Member`,
/// named once for whoever writes and whoever reads them.
package struct ListRow<Member: RawRepresentable<String> & Hashable & Sendable>: Sendable {
    package let json: JSONValue

    /// A row of a response; nothing is checked.
    package init(_ json: JSONValue) { self.json = json }

    package init(_ members: [Member: JSONValue]) {
        json = .object(JSONObject(members.map { ($0.key.rawValue, $0.value) }))
    }

    /// Nil: it is missing or null.
    package subscript(_ member: Member) -> JSONValue? { json[member.rawValue] }
    package func text(_ member: Member, or absent: String = "") -> String { self[member]?.string ?? absent }
    package func number(_ member: Member) -> Int64 { self[member]?.integer ?? 0 }
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

package enum RefusalMember: String, Sendable {
    case id, type, entityId, sequence, terminalId, storeId, outcome, state, receivedAt, orderNumber, amount
    case currency, problem, policy, serverState, resolution, payload
}

/// `left` is what the lease reserves; of a released one `risk` is what can be spent twice at most.
package enum LeaseMember: String, Sendable {
    case leaseId, kind, subject, terminalId, storeId, epoch, amount, used, left, state, issuedAt, expiresAt
    case recalled, silentSince, risk, releasedBy, releasedAt, reason
}
