/// What the store of orders holds of the hub's keys.
public protocol KeyLedger: Sendable {
    func keyRecord() async throws(LedgerError) -> KeyRecord

    /// Replaces what is held, when that is still `old`.
    ///
    /// - Returns: false when another process was faster; nothing was written.
    func keep(_ record: KeyRecord, insteadOf old: KeyRecord) async throws(LedgerError) -> Bool
}

/// The hub's keys in its store. The public halves are always there: they show when the key file is lost or
/// belongs to another hub. The private halves are there only where no file has them.
public struct KeyRecord: Hashable, Sendable {
    /// JSON; nil in a store of the version before.
    public var publicKeys: String?
    /// JSON; nil where a file holds them.
    public var privateKeys: String?
    /// The one secret of the version before, 64 hexadecimal digits, in a database that served it.
    public var oldSecret: String?

    public init(publicKeys: String? = nil, privateKeys: String? = nil, oldSecret: String? = nil) {
        self.publicKeys = publicKeys
        self.privateKeys = privateKeys
        self.oldSecret = oldSecret
    }

    /// The names in the table `meta`, with the values.
    package var rows: [(key: String, value: String?)] {
        [("hub_public_keys", publicKeys), ("hub_private_keys", privateKeys), ("hub_key", oldSecret)]
    }

    package init(rows: [String: String]) {
        publicKeys = rows["hub_public_keys"]
        privateKeys = rows["hub_private_keys"]
        oldSecret = rows["hub_key"]
    }

    /// Reads what ``init(rows:)`` takes.
    package static let selection =
        "SELECT key, value FROM meta WHERE key IN ('hub_public_keys', 'hub_private_keys', 'hub_key')"
}
