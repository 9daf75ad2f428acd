/// The files of one hub, all beside its order store.
package struct StorePaths: Hashable, Sendable {
    /// The order store.
    package let ledger: String

    /// The paths beside `ledger`, the path of an SQLite file that need not exist yet.
    package init(ledger: String) {
        self.ledger = ledger
    }

    /// The QoS store, a file of its own so that it works when the order store does not.
    package var qos: String { ledger + "-qos" }
    /// The hub's private keys.
    package var key: String { ledger + "-key" }
    /// The public halves of the hub's keys, for the processes that do not open the order store.
    package var publicKeys: String { ledger + "-public-keys" }
    /// The terminals that the order store knows, for the processes that do not open it.
    package var terminals: String { ledger + "-terminals" }
    /// The ids of revoked terminals.
    package var revocations: String { ledger + "-revoked" }

    /// The operators, by the digests of their tokens.
    package var operators: String { ledger + "-operators" }
    /// When the last backup was made, and where it was written.
    package var lastBackup: String { ledger + "-last-backup" }

    /// What the process that owns `store` holds locked.
    package static func lock(of store: String) -> String { store + ".lock" }
    /// Where the process that owns `store` serves this machine's commands.
    package static func socket(of store: String) -> String { store + ".sock" }
}
