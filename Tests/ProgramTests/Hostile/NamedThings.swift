import Base
import Crypto
import Foundation
import HubProtocol
import TestKit

/// Every member of a request that names something, and what a hostile terminal can name in it.
enum NamingMember: String, CaseIterable {
    case id, entityId, dependsOn, supersedes, discards, orderId, orderNumber, receiptCode, refundId, shiftId
    case decisionNumber, decisionId, noteId, attachments, publicKey, authorizationKey, leaseId

    /// Which of another terminal's things it names.
    var kind: Kind {
        switch self {
        case .id, .dependsOn, .supersedes, .discards: .mutation
        case .entityId, .orderId: .order
        case .orderNumber, .receiptCode, .decisionNumber: .number
        case .refundId, .decisionId: .refund
        case .shiftId: .shift
        case .noteId, .attachments: .any
        case .publicKey: .key
        case .authorizationKey: .card
        case .leaseId: .lease
        }
    }

    enum Kind { case mutation, order, number, refund, shift, any, key, card, lease }
}

extension HostileTerminal {
    /// All that is named: each member with what another terminal has, and with what it will have.
    static let namings = NamingMember.allCases.flatMap { member in [false, true].map { (member, $0) } }

    /// The next of ``namings``, of a terminal by the seed.
    mutating func nameAnother(_ shops: HonestShops) throws {
        let (member, isTomorrows) = Self.namings[named % Self.namings.count]
        named += 1
        guard let victim = pick(shops.honest), let name = name(member.kind, isTomorrows, of: victim) else {
            return
        }
        try send(name, as: member, of: victim, shops)
    }

    /// What a terminal has, or the next that it will have.
    private mutating func name(
        _ kind: NamingMember.Kind, _ isTomorrows: Bool, of victim: SeededTerminal
    ) -> String? {
        // An order's, shift's or refund's id is minted before its entry's.
        let next = victim.nextIdentifiers(2)
        switch kind {
        case .mutation:
            return isTomorrows ? pick(next) : pick(victim.sales + victim.refunds)?.id
        case .order: return isTomorrows ? next[0] : pick(victim.sales)?.entityId
        case .number:
            return isTomorrows ? victim.nextOrderNumber : pick(victim.sales)?.payload["orderNumber"]?.string
        case .refund: return isTomorrows ? next[0] : pick(victim.refunds)?.entityId
        case .shift: return isTomorrows ? next[0] : pick(victim.shifts)
        case .any: return isTomorrows ? pick(next) : pick(["note-0-1", "note-1-2", "note-2-0"])
        case .key: return victim.key.publicKey.rawRepresentation.base64EncodedString()
        case .card: return isTomorrows ? next[0] : pick(victim.cards)
        // The hub mints it, so that nobody knows the next one.
        case .lease: return pick(victim.leases)
        }
    }

    private mutating func send(
        _ name: String, as member: NamingMember, of victim: SeededTerminal, _ shops: HonestShops
    ) throws {
        let text = JSONValue.string(name)
        var entry: Mutation?
        switch member {
        case .id:
            let order = shops.other.identifier()
            var payload = shops.other.sale(orderId: order).payload.object ?? [:]
            if random.below(2) == 0 { payload["total"] = -1 }
            entry = shops.other.entry("order.completed", order, id: name, payload: .object(payload))
        case .entityId, .orderId:
            switch random.below(3) {
            case 0: entry = shops.other.sale(orderId: name)
            case 1: entry = shops.other.entry("order.voided", name, payload: ["orderId": text])
            default: entry = refund(["orderId": text], shops)
            }
        case .dependsOn: entry = note(shops, dependsOn: [name])
        case .supersedes: entry = note(shops, supersedes: name)
        case .discards:
            entry = shops.other.entry(
                "mutation.discarded", name, payload: ["discards": text, "reason": "x", "by": "Mallory"])
        case .orderNumber: entry = shops.other.sale(number: name)
        case .receiptCode:
            guard let code = code(of: name, shops) else { return }
            entry = refund(["receiptCode": .string(code), "orderNumber": text], shops)
        case .refundId:
            let number = pick(shops.honest.flatMap(\.sales))?.payload["orderId"] ?? "x"
            entry = refund(["orderId": number], shops, id: name)
        case .shiftId: try sendShift(name, shops)
        case .decisionNumber, .decisionId:
            let body: JSONValue = [
                "refundId": member == .decisionId ? text : .string(shops.other.identifier()),
                "kind": "refund",
                "orderNumber": member == .decisionNumber ? text : .string(victim.nextOrderNumber),
                "lines": [["sku": "tea", "quantityMilli": 100]], "amount": 100,
            ]
            _ = try shops.other.send("POST", Routes.refundDecisions, body: body.canonicalText)
            _ = try shops.other.send("DELETE", "\(Routes.refundDecisions)/\(name)")
        case .noteId:
            entry = shops.other.entry("note.upserted", name, payload: ["text": "mine", "author": "Mallory"])
        case .attachments:
            let body: JSONValue = [
                "id": text, "sha256": .string(String(repeating: "0", count: 64)), "size": 10,
                "contentType": "image/png", "urgent": true,
            ]
            _ = try shops.other.send("POST", Routes.attachments, body: body.canonicalText)
        case .publicKey:
            let code = try shops.enrolmentCode(of: victim.grant.storeId)
            let enrolment = try SignedEnrolment(code: code, key: shops.other.key, publicKey: name)
            _ = try shops.other.send("POST", Routes.terminals, enrolment.headers, body: enrolment.body)
        case .authorizationKey: try sendCard(name, shops)
        case .leaseId: try sendLease(name, of: victim, shops)
        }
        if let entry { _ = try shops.other.push(entry) }
    }

    private func note(
        _ shops: HonestShops, dependsOn: [String] = [], supersedes: String? = nil
    ) -> Mutation {
        shops.other.entry(
            "note.upserted", "n", dependsOn: dependsOn, supersedes: supersedes,
            payload: ["text": "x", "author": "Mallory"])
    }

    private func refund(_ sale: JSONObject, _ shops: HonestShops, id: String? = nil) -> Mutation {
        var payload = sale
        payload["currency"] = "CNY"
        payload["total"] = 1250
        payload["lines"] = [["sku": "tea", "barcode": "1", "quantityMilli": 1000]]
        return shops.other.entry(
            "refund.completed", id ?? shops.other.identifier(), payload: .object(payload))
    }

    /// A code that the hostile terminal signs itself, about the sale of another.
    private func code(of number: String, _ shops: HonestShops) -> String? {
        let key = shops.other.key
        return ReceiptCode(
            terminalId: shops.other.grant.terminalId, orderNumber: number, soldAt: 1, currency: "CNY",
            total: 1250, lines: [.init(barcode: "1", quantityMilli: 1000, amount: 1250)]
        ) { try? key.signature(for: $0).base64EncodedString() }?.text
    }

    /// Every call and entry that names a card.
    private mutating func sendCard(_ key: String, _ shops: HonestShops) throws {
        let path = "\(Routes.authorizations)/\(key)"
        let headers = [HeaderNames.idempotencyKey: "\"\(key)\""]
        let body = #"{"orderId":"o","amount":{"amount":7,"currency":"CNY"}}"#
        switch random.below(5) {
        case 0: _ = try shops.other.send("POST", Routes.authorizations, headers, body: body)
        case 1: _ = try shops.other.send("POST", path + "/void", body: "{}")
        case 2: _ = try shops.other.send("POST", path + "/capture", body: "{}")
        case 3:
            let void = shops.other.entry("payment.voided", key, payload: ["key": .string(key)])
            _ = try shops.other.push(void)
        default:
            let sale = shops.other.sale(card: key)
            let refund = shops.other.refund(of: sale, total: 100, card: key)
            _ = try shops.other.push([sale, refund])
        }
    }

    /// Returns another's lease, and spends it.
    private mutating func sendLease(
        _ lease: String, of victim: SeededTerminal, _ shops: HonestShops
    ) throws {
        if random.below(2) == 0 {
            let order = LeaseReturn(
                epoch: 1, sequence: shops.other.sequence, leases: [.init(leaseId: lease, spent: 0)])
            _ = try shops.other.send("POST", Routes.leaseReturns, body: order.json.canonicalText)
            return
        }
        var payload = shops.other.sale().payload.object ?? [:]
        payload["leases"] = [
            [
                "leaseId": .string(lease), "kind": "card", "subject": .string(victim.grant.storeId),
                "amount": 300,
            ]
        ]
        let order = payload["orderId"]?.string ?? "x"
        let sale = shops.other.entry("order.completed", order, payload: .object(payload))
        _ = try shops.other.push(sale)
    }

    /// A shift of the same id, opened and closed at once, and a sale in it.
    private func sendShift(_ shiftId: String, _ shops: HonestShops) throws {
        let opening = ShiftOpening(
            shiftId: shiftId, businessDay: "2026-11-21", timeZone: "UTC", currency: "CNY",
            openedAt: 1_795_240_000_000, openedBy: nil, float: 0)
        let opened = shops.other.entry(ShiftOpening.type, shiftId, payload: opening.json)
        let closing = ShiftClosing(
            opening: opening, closedAt: 1_795_270_000_000, closedBy: nil,
            cash: ShiftClosing.Cash(expected: 0, counted: 0), counted: [], sums: ShiftSums(),
            from: opened.sequence, to: opened.sequence, head: opened.hash)
        let closed = shops.other.entry(ShiftClosing.type, shiftId, payload: closing.json)
        _ = try shops.other.push([opened, closed])
        var payload = shops.other.sale().payload.object ?? [:]
        payload["shiftId"] = .string(shiftId)
        let order = payload["orderId"]?.string ?? "x"
        let sale = shops.other.entry("order.completed", order, payload: .object(payload))
        _ = try shops.other.push(sale)
    }
}
