/// By which key a terminal signs its receipts: the value of the feed's entity `terminalKey`, so that the
/// other terminals of the store can check a receipt without the hub.
package struct TerminalKey: Fact {
    /// The entity's name in the feed.
    package static let entity = "terminalKey"

    /// A ULID, the entity's id too.
    package private(set) var terminalId = ""
    /// The store that the terminal is enrolled in.
    package private(set) var storeId = ""
    /// Ed25519, 32 bytes in base64.
    package private(set) var publicKey = ""

    /// Where the terminal listens for the others of its store; nil: nowhere, or it has not said so.
    package var neighbours: NeighbourPlace?

    package init(terminalId: String, storeId: String, publicKey: String) {
        self.terminalId = terminalId
        self.storeId = storeId
        self.publicKey = publicKey
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.part("neighbours", &neighbours, .optional)
        try m.text("publicKey", &publicKey)
        try m.text("storeId", &storeId)
        try m.text("terminalId", &terminalId)
    }
}
