internal import Credentials
internal import Dispatch
internal import GRDB
internal import HubProtocol
public import Retail

extension SQLiteFeedCopy: CashierRoster {
    /// As of the latest ``refresh()``.
    public var hasCashiers: Bool { !holdings.cashiers.isEmpty }

    /// As of the latest ``refresh()``.
    public var hasManager: Bool { holdings.cashiers.values.contains { $0.role == .manager } }

    /// Read from memory, as of the latest ``refresh()``.
    public func cashier(_ id: String) -> Cashier? { holdings.cashiers[id] }

    /// Hashes one PIN at a time on a queue of its own; a cashier without a verifier is ``PINResult/wrong``.
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
    /// As of the latest ``refresh()``.
    public var hasMembers: Bool { holdings.hasMembers }

    /// One read on the disk by the feed's id.
    public func member(_ id: String) async throws(InquiryError) -> Member? {
        try await responding { connection in
            try Self.members("entity = 'member' AND entity_id = ?", id, in: connection).first
        }
    }

    /// Looks the number up by its digest, or as it is where the hub sent no key; by index in both cases.
    public func members(phone: String) async throws(InquiryError) -> [Member] {
        let key = holdings.phoneKey
        let lookups = MemberRecord.lookupForms(of: phone).map { key?.digest(ofPhone: $0) ?? $0 }
        return try await responding { connection in
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
