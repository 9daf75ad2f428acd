internal import Credentials
internal import Dispatch
internal import GRDB
internal import HubProtocol
public import Retail

extension SQLiteFeedCopy: CashierRoster {
    public var hasCashiers: Bool { !holdings.cashiers.isEmpty }

    public var hasManager: Bool { holdings.cashiers.values.contains { $0.role == .manager } }

    public func cashier(_ id: String) -> Cashier? { holdings.cashiers[id] }

    public func check(_ pin: String, of cashierId: String) async throws(InquiryError) -> PINResult {
        guard let cashier = cashier(cashierId), let verifier = cashier.verifier else { return .wrong }
        let secret = database.secret
        let matches = await withCheckedContinuation { continuation in
            hashing.async {
                continuation.resume(returning: SealedPIN(text: verifier).matches(pin, with: secret))
            }
        }
        return matches ? .right(cashier) : .wrong
    }
}

extension SQLiteFeedCopy: MemberBook {
    public var hasMembers: Bool { holdings.hasMembers }

    public func member(_ id: String) async throws(InquiryError) -> Member? {
        try await answering { connection in
            try Self.members("entity = 'member' AND entity_id = ?", id, in: connection).first
        }
    }

    public func members(phone: String) async throws(InquiryError) -> [Member] {
        let key = holdings.phoneKey
        let lookups = MemberRecord.lookupForms(of: phone).map { key?.digest(ofPhone: $0) ?? $0 }
        return try await answering { connection in
            for lookup in lookups {
                let found = try Self.members(
                    "entity = 'member' AND lookup = ?", lookup, index: "feed_entities_lookup", in: connection)
                if !found.isEmpty { return found }
            }
            return []
        }
    }

    private static func members(
        _ condition: String, _ argument: String, index: String? = nil, in connection: Database
    ) throws -> [Member] {
        try rows(condition, [argument], index: index, in: connection).map { row in
            let value = value(row)
            return Member(
                id: row["entity_id"], name: value?["name"]?.string, phoneSince: value?["phoneSince"]?.string)
        }
    }
}
