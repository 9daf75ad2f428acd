internal import Base
package import HubProtocol

/// A piece of a terminal's journal that another terminal handed in.
package struct RelayRecord: Hashable, Sendable {
    /// Pieces of one maker that wait for a person: 64 MiB, as much as a neighbour keeps for all tills. Twice
    /// of it doubles what a hostile till costs the hub's disk.
    package static let mostHeld: Int64 = 128
    /// Pieces that are listed: those of 100,000 sales.
    package static let listed = 1_000

    /// Whose entries they are.
    package let terminalId: String
    /// SHA-256 of the piece, in hex.
    package let digest: String
    package let epoch: Int64
    /// The sequences of its first and last entry.
    package let first: Int64
    package let last: Int64
    /// The terminal that handed it in.
    package let by: String
    /// Milliseconds since 1970.
    package let at: Int64
    /// Why its entries do not count yet; nil: they do.
    package let held: RelayHold?

    package init(
        terminalId: String, digest: String, epoch: Int64, first: Int64, last: Int64, by: String, at: Int64,
        held: RelayHold?
    ) {
        self.terminalId = terminalId
        self.digest = digest
        self.epoch = epoch
        self.first = first
        self.last = last
        self.by = by
        self.at = at
        self.held = held
    }

    /// `{"epoch","first","last","by","at"}`, with `held` where a person has to accept it.
    package var json: JSONValue {
        var members: JSONObject = [
            "epoch": .integer(epoch), "first": .integer(first), "last": .integer(last), "by": .string(by),
            "at": .string(Timestamp.text(milliseconds: at)),
        ]
        if let held { members["held"] = .string(held.rawValue) }
        return .object(members)
    }
}
