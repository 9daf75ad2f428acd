internal import Credentials
internal import Dispatch
internal import GRDB
internal import HubProtocol
internal import Synchronization
package import Retail

extension SQLiteFeedCopy: CashierRoster {
    /// As of the latest ``refresh()``.
    package var hasCashiers: Bool { !holdings.cashiers.isEmpty }

    /// As of the latest ``refresh()``.
    package var hasManager: Bool { holdings.cashiers.values.contains { $0.role == .manager } }

    /// Read from memory, as of the latest ``refresh()``.
    package func cashier(_ id: String) -> Cashier? { holdings.cashiers[id] }

    /// Hashes one PIN at a time on a queue of its own; a cashier without a verifier is ``PINResult/wrong``.
    package func check(_ pin: String, of cashierId: String) async throws(InquiryError) -> PINResult {
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
    /// As of the latest ``refresh()``, with those whom this terminal made since.
    package var hasMembers: Bool { holdings.hasMembers || newMembers.withLock { !$0.isEmpty } }

    /// One or two reads on the disk by the feed's id. Of a member whom the hub merged into another one, that
    /// one.
    package func member(_ id: String) async throws(InquiryError) -> Member? {
        let found = try await responding { connection -> Member? in
            let named = try Self.rows("entity = 'member' AND entity_id = ?", [id], in: connection).first
            let owner = named.flatMap { Self.value($0)?[MemberRecord.mergedInto]?.string }
            guard let owner else { return named.map(Self.member) }
            let row = try Self.rows("entity = 'member' AND entity_id = ?", [owner], in: connection).first
            return row.map(Self.member) ?? Member(id: owner, name: nil)
        }
        return found ?? newMembers.withLock { $0.member(id) }
    }

    /// Looks the number up by its digest, or as it is where the hub sent no key; by index in both cases.
    /// Those whom this terminal made come last: whoever is in the feed had the number first.
    package func members(phone: String) async throws(InquiryError) -> [Member] {
        let key = holdings.phoneKey
        let lookups = MemberRecord.lookupForms(of: phone).map { key?.digest(ofPhone: $0) ?? $0 }
        let found = try await responding { connection -> [Member] in
            for lookup in lookups {
                let found = try Self.rows(
                    "entity = 'member' AND lookup = ?", [lookup], index: "feed_entities_lookup",
                    in: connection)
                if !found.isEmpty { return found.map(Self.member) }
            }
            return []
        }
        return found.isEmpty ? newMembers.withLock { $0.members(phone: phone) } : found
    }

    private static func member(_ row: Row) -> Member {
        let value = value(row)
        return Member(
            id: row["entity_id"], name: value?["name"]?.string, phoneSince: value?["phoneSince"]?.string,
            points: value?["points"]?.integer)
    }
}
