/// Why the entries of a piece that was handed in do not count yet. A person decides with `pos-hub terminals
/// accept-relayed`.
package enum RelayHold: String, Hashable, Sendable, CaseIterable {
    /// Its maker was revoked.
    case revoked
    /// Its maker waits for a person's confirmation.
    case unconfirmed
    /// Another entry has a sequence of the piece.
    case conflict
    /// Its maker went on in a later epoch, and the hub does not have all of the piece.
    case superseded
    /// The hub knows no reason for the epoch that the piece begins.
    case epoch
}

/// The response to a piece that was handed in: `{"terminalId","epoch","results","acknowledgedThrough",
/// "missing"}`, with `held` where the entries do not count yet.
package struct RelayResponse: Hashable, Sendable {
    /// The maker of the piece.
    package let terminalId: String
    /// The epoch of its entries.
    package let epoch: Int64
    /// As the maker's own push gets it; without results for one that is held.
    package let batch: MutationBatchResponse
    /// The word of a ``RelayHold``, or of a later version; nil: the entries count.
    package let held: String?

    package init(terminalId: String, epoch: Int64, batch: MutationBatchResponse, held: RelayHold?) {
        self.terminalId = terminalId
        self.epoch = epoch
        self.batch = batch
        self.held = held?.rawValue
    }

    package init(json: JSONValue) throws(ShapeError) {
        terminalId = try json.requiredString("terminalId")
        epoch = try json.requiredInteger("epoch", in: 1...(1 << 31))
        batch = try MutationBatchResponse(json: json)
        held = try json.optionalString("held")
    }

    package var json: JSONValue {
        var members = batch.json.object ?? [:]
        members["terminalId"] = .string(terminalId)
        members["epoch"] = .integer(epoch)
        if let held { members["held"] = .string(held) }
        return .object(members)
    }
}
