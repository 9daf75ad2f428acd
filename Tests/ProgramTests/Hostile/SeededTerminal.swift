import Base
import Crypto
import Foundation
import HubProtocol
import TestKit
import Testing

/// An enrolled terminal whose journal follows from a seed alone, so that two runs send the same bytes.
struct SeededTerminal {
    let grant: EnrolmentGrant
    /// What it was enrolled with.
    let key: Curve25519.Signing.PrivateKey
    let client: LoopbackClient
    var random: SplitMix64
    private(set) var sequence: Int64 = 0
    private(set) var sales: [Mutation] = []
    private(set) var refunds: [Mutation] = []
    /// The shifts that it opened; the last one is open while ``drawer`` is there.
    private(set) var shifts: [String] = []
    /// The keys of the cards that it authorised.
    private(set) var cards: [String] = []
    /// What it was lent when it began.
    var leases: [String] = []
    private var drawer: Drawer?

    /// An open shift, which adds up what it sells.
    private struct Drawer {
        let opening: ShiftOpening
        let from: Int64
        var tally = ShiftTally()
    }
    private var previousHash = Mutation.genesisHash

    init(_ till: SigningTill, on hub: HubUnderTest, seed: UInt64) throws {
        grant = till.grant
        key = till.key
        client = try hub.client(timeout: 20)
        random = SplitMix64(seed: seed)
    }

    var headers: [String: String] {
        ["Authorization": "Bearer \(grant.token)", HeaderNames.schema: "\(Schema.current)"]
    }

    mutating func identifier() -> String {
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        return "01" + String((0..<24).map { _ in alphabet[Int(random.below(32))] })
    }

    /// The number that the next sale of this terminal carries.
    var nextOrderNumber: String { "\(grant.storeId)-\(grant.terminalNumber)-20261121-\(sequence + 1)" }

    /// The next entry of the journal.
    mutating func entry(
        _ type: String, _ entityId: String, id: String? = nil, dependsOn: [String] = [],
        supersedes: String? = nil, payload: JSONValue
    ) -> Mutation {
        sequence += 1
        let mutation = Mutation(
            id: id ?? identifier(), sequence: sequence, type: type,
            entity: String(type.prefix { $0 != "." }), entityId: entityId,
            clientGeneratedAt: "2026-11-21T00:00:00.000Z", previousHash: previousHash, dependsOn: dependsOn,
            supersedes: supersedes, payload: payload)
        previousHash = mutation.hash
        return mutation
    }

    mutating func sale(
        number: String? = nil, orderId: String? = nil, total: Int64 = 1250, day: String = "2026-11-21",
        coupon: String? = nil, card: String? = nil, member: String? = nil, earning points: Int64 = 0
    ) -> Mutation {
        let order = orderId ?? identifier()
        let made = entry(
            "order.completed", order,
            payload: [
                "orderId": .string(order), "currency": "CNY", "taxIncluded": true,
                "shiftId": JSONValue(drawer?.opening.shiftId),
                "orderNumber": .string(number ?? nextOrderNumber), "businessDay": .string(day),
                "lines": [
                    [
                        "sku": "tea", "quantityMilli": 1000, "unitPrice": .integer(total), "discount": 0,
                        "total": .integer(total), "taxBasisPoints": 0,
                    ]
                ],
                "payments": [Self.payment(total, by: card)], "total": .integer(total),
                "tax": 0, "change": 0, "coupons": coupon.map { [.string($0)] } ?? [],
                "memberId": JSONValue(member),
                "points": ["earned": .integer(points), "spent": 0, "value": 0],
            ])
        sales.append(made)
        drawer?.tally.add(id: made.id, type: made.type, payload: made.payload, voided: nil)
        return made
    }

    private static func payment(_ amount: Int64, by card: String?) -> JSONValue {
        guard let card else { return ["method": "cash", "amount": .integer(amount)] }
        return ["method": "card", "amount": .integer(amount), "authorizationKey": .string(card)]
    }

    /// A sale by a card of its own, with the request for it.
    mutating func cardSale() -> (key: String, request: String, sale: Mutation) {
        let key = identifier()
        cards.append(key)
        let order = identifier()
        let body: JSONValue = [
            "orderId": .string(order), "amount": ["amount": 1250, "currency": "CNY"],
        ]
        return (key, body.canonicalText, sale(orderId: order, card: key))
    }

    /// Opens a shift, or closes the one that is open.
    mutating func turnShift() -> Mutation {
        if let open = drawer {
            drawer = nil
            let sums = open.tally.sums
            let closing = ShiftClosing(
                opening: open.opening, closedAt: 1_795_270_000_000, closedBy: nil,
                cash: ShiftClosing.Cash(expected: sums.expectedCash(float: 500), counted: 0), counted: [],
                sums: sums, from: open.from, to: sequence, head: previousHash)
            return entry(ShiftClosing.type, open.opening.shiftId, payload: closing.json)
        }
        let opening = ShiftOpening(
            shiftId: identifier(), businessDay: "2026-11-21", timeZone: "UTC", currency: "CNY",
            openedAt: 1_795_240_000_000, openedBy: nil, float: 500)
        shifts.append(opening.shiftId)
        drawer = Drawer(opening: opening, from: sequence + 1)
        return entry(ShiftOpening.type, opening.shiftId, payload: opening.json)
    }

    /// What follows from the seed: the next identifiers, an order's, shift's or refund's before its entry's.
    func nextIdentifiers(_ count: Int) -> [String] {
        var copy = self
        return (0..<count).map { _ in copy.identifier() }
    }

    mutating func refund(of sale: Mutation, total: Int64, card: String? = nil) -> Mutation {
        var payload: JSONObject = [
            "orderId": sale.payload["orderId"] ?? .null, "total": .integer(total),
            "lines": [["sku": "tea", "quantityMilli": 100]],
        ]
        if let card { payload["payments"] = [Self.payment(total, by: card)] }
        let made = entry(
            "refund.completed", identifier(), dependsOn: [sale.id], payload: .object(payload))
        refunds.append(made)
        return made
    }

    func push(_ mutation: Mutation) throws -> LoopbackResponse {
        try send(
            "POST", Routes.mutation, [HeaderNames.idempotencyKey: "\"\(mutation.id)\""],
            body: mutation.json.canonicalText)
    }

    func push(_ mutations: [Mutation], epoch: Int64 = 1, lowSequence: Int64? = nil) throws -> LoopbackResponse
    {
        let batch = MutationBatch(
            mutations: mutations, epoch: epoch, lowSequence: lowSequence ?? mutations.first?.sequence)
        return try send("POST", Routes.mutationBatch, body: batch.json.canonicalText)
    }

    /// Sends one request; a refused connection is opened once more, since a server may close after a refusal.
    func send(
        _ method: String, _ path: String, _ more: [String: String] = [:], body: String? = nil
    ) throws -> LoopbackResponse {
        let headers = headers.merging(more) { $1 }
        do {
            return try client.request(method, path, headers: headers, body: body)
        } catch LoopbackError.closed, LoopbackError.broken {
            client.disconnect()
            return try client.request(method, path, headers: headers, body: body)
        }
    }
}
