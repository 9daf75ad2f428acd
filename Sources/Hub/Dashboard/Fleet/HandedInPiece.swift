package import HubProtocol

/// A piece of a terminal's journal that another terminal handed in.
package struct HandedInPiece: Hashable, Sendable {
    package let epoch: Int64
    /// The sequences of its first and last entry.
    package let first: Int64
    package let last: Int64
    /// The id of the terminal that handed it in.
    package let by: String
    /// Milliseconds since 1970.
    package let at: Int64
    /// Why its entries do not count yet; nil: they do.
    package let hold: RelayHold?

    package init(epoch: Int64, first: Int64, last: Int64, by: String, at: Int64, hold: RelayHold?) {
        (self.epoch, self.first, self.last) = (epoch, first, last)
        (self.by, self.at, self.hold) = (by, at, hold)
    }

    /// A row of the terminal's page.
    func values(_ wording: Wording) -> PageValues {
        var values: PageValues = [
            "epoch": wording.number(epoch), "entries": "\(first)–\(last)",
            "by": wording.terminal(by), "byId": by, "at": PageTime(at, wording).values,
            "word": wording.texts.state(hold),
        ]
        if hold != nil { values["waits"] = true }
        return values
    }
}
