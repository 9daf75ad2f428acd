import HubCore
import HubProtocol

/// A till that mints a journal for tests: sequences, links and hashes as a real one has them.
struct Till {
    let device: DeviceIdentity
    private(set) var sequence: Int64
    private(set) var previousHash = Mutation.genesisHash
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    init(_ terminalId: String = "T1", store: String = "S1", from sequence: Int64 = 1) {
        device = DeviceIdentity(terminalId: terminalId, storeId: store)
        self.sequence = sequence - 1
    }

    static func ulid() -> String {
        "01" + String((0..<24).map { _ in alphabet[Int.random(in: 0..<32)] })
    }

    /// The next entry of the journal.
    mutating func minted(
        _ type: String = "shift.opened", _ payload: JSONValue = [:], id: String = Till.ulid(),
        entityId: String = Till.ulid(), dependsOn: [String] = [], attachments: [String] = [],
        supersedes: String? = nil
    ) -> Mutation {
        sequence += 1
        let mutation = Mutation(
            id: id, sequence: sequence, type: type, entity: "thing", entityId: entityId,
            clientGeneratedAt: "2026-11-21T00:00:00.000Z", previousHash: previousHash, dependsOn: dependsOn,
            attachments: attachments, supersedes: supersedes, payload: payload)
        previousHash = mutation.hash
        return mutation
    }

    /// The next entry: a sale of one piece.
    mutating func sale(
        number: String? = nil, sku: String = "tea", price: Int64 = 1250, total: JSONValue? = nil,
        coupons: [JSONValue]? = nil
    ) -> Mutation {
        let number = number ?? "\(device.storeId)-1-19700101-\(sequence + 1)"
        return minted(
            "order.completed",
            [
                "orderId": .string(Till.ulid()), "orderNumber": .string(number), "currency": "CNY",
                "taxIncluded": true,
                "lines": [
                    [
                        "sku": .string(sku), "quantityMilli": 1000, "unitPrice": .integer(price),
                        "discount": 0,
                        "total": .integer(price), "taxBasisPoints": 0,
                    ]
                ],
                "payments": [["method": "cash", "amount": .integer(price)]],
                "total": total ?? .integer(price), "tax": 0, "change": 0,
                "coupons": coupons.map(JSONValue.array) ?? .null,
            ])
    }

    /// The newest entry, a sale, with other payments.
    mutating func paid(_ sale: Mutation, by payments: JSONValue) -> Mutation {
        changed(sale, ["payments": payments])
    }

    /// The newest entry, with other members.
    mutating func changed(_ entry: Mutation, _ others: JSONObject) -> Mutation {
        let members = (entry.payload.object ?? [:]).merging(others) { _, other in other }
        let changed = Mutation(
            id: entry.id, sequence: entry.sequence, type: entry.type, entity: entry.entity,
            entityId: entry.entityId, clientGeneratedAt: entry.clientGeneratedAt,
            previousHash: entry.previousHash, payload: .object(members))
        previousHash = changed.hash
        return changed
    }

    /// A push of mutations at a moment that never changes.
    func push(
        _ mutations: [Mutation], epoch: Int64? = nil, lowSequence: Int64? = nil, at now: Int64 = 1_000_000,
        limits: IntakeLimits = .adjusting
    ) throws -> IntakeRequest {
        IntakeRequest(
            device: device, epoch: epoch, lowSequence: lowSequence,
            mutations: try mutations.map { try ReceivedMutation(json: $0.json) }, receivedAt: now,
            limits: limits)
    }
}

extension IntakeLimits {
    /// The defaults of a chain whose people adjust points by hand.
    static var adjusting: IntakeLimits {
        var limits = IntakeLimits()
        limits.pointsAdjustedPerDay = limits.pointsPerDay
        return limits
    }
}
