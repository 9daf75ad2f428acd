/// By which key a terminal signs its receipts: the value of the feed's entity `terminalKey`, so that the
/// other terminals of the store can check a receipt without the hub.
package struct TerminalKey: Hashable, Sendable {
    /// The entity's name in the feed.
    package static let entity = "terminalKey"

    /// A ULID, the entity's id too.
    package let terminalId: String
    /// The store that the terminal is enrolled in.
    package let storeId: String
    /// Ed25519, 32 bytes in base64.
    package let publicKey: String

    package init(terminalId: String, storeId: String, publicKey: String) {
        self.terminalId = terminalId
        self.storeId = storeId
        self.publicKey = publicKey
    }

    /// Reads the entity's value.
    package init(json: JSONValue) throws(ShapeError) {
        self.init(
            terminalId: try json.requiredString("terminalId"), storeId: try json.requiredString("storeId"),
            publicKey: try json.requiredString("publicKey"))
    }

    /// The entity's value.
    package var json: JSONValue {
        [
            "terminalId": .string(terminalId), "storeId": .string(storeId), "publicKey": .string(publicKey),
        ]
    }
}
