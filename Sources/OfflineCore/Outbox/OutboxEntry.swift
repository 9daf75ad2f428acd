/// What the machine knows of one row; the row's body stays with the driver.
public struct OutboxEntry: Hashable, Sendable {
    /// The mutation's ULID.
    public let id: String
    public let sequence: Int64
    /// Rows of one lane go in order; lanes do not hold each other up.
    public let orderingKey: String
    /// The length of the row's body.
    public let bytes: Int
    /// An attachment of the row is not whole at the hub: the row, and its lane behind it, does not go.
    public let isHeld: Bool

    public init(id: String, sequence: Int64, orderingKey: String, bytes: Int, isHeld: Bool = false) {
        self.id = id
        self.sequence = sequence
        self.orderingKey = orderingKey
        self.bytes = bytes
        self.isHeld = isHeld
    }
}
