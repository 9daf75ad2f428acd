internal import HubStore

extension Dialect {
    static let postgres = Dialect(
        forUpdate: " FOR UPDATE", forUpdateOfFree: " FOR UPDATE SKIP LOCKED",
        isOne: { "= ANY(\($0)::text[])" },
        inBytes: { "\($0) COLLATE \"C\"" },
        locking: \.query)
}
