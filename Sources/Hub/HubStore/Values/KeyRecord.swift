package import Base

/// The hub's keys in its store. The public halves are always there: they show when the key file is lost or
/// belongs to another hub. The private halves are there only where no file has them.
package struct KeyRecord: Hashable, Sendable {
    /// JSON; nil in a store that no hub has served yet.
    package var publicKeys: String?
    /// JSON; nil where a file holds them.
    @Secret package var privateKeys: String?

    /// Makes a record; by default every part is nil, as in a store that holds no keys.
    package init(publicKeys: String? = nil, privateKeys: String? = nil) {
        self.publicKeys = publicKeys
        self.privateKeys = privateKeys
    }

    /// The names in the table `meta`, with the values.
    package var rows: [(key: String, value: String?)] {
        [("hub_public_keys", publicKeys), ("hub_private_keys", privateKeys)]
    }

    package init(rows: [String: String]) {
        publicKeys = rows["hub_public_keys"]
        privateKeys = rows["hub_private_keys"]
    }

    /// Reads what ``init(rows:)`` takes.
    package static let selection =
        "SELECT key, value FROM meta WHERE key IN ('hub_public_keys', 'hub_private_keys')"
}

/// The tokens without which nobody can come in: those of operators that have no password.
package enum EndingTokens {
    /// Their names and ends, the first to end first.
    package static let selection =
        "SELECT name, token_expires_at FROM operators "
        + "WHERE password_hash IS NULL AND token_expires_at IS NOT NULL ORDER BY token_expires_at, name"
}
