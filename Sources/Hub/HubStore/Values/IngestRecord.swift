import Base

internal import HubProtocol

/// A file of a dead terminal that was ingested.
package struct IngestRecord: Hashable, Sendable {
    /// The terminal whose journal the file holds; the hub has it, enrolled or registered.
    package let terminalId: String
    /// Milliseconds since 1970.
    package let ingestedAt: Int64
    /// Entries of the file.
    package let entries: Int64
    /// Whether the terminal's device key signed it.
    package let isSigned: Bool
    /// Why an operator let an unsigned one in; nil for a signed one.
    package let reason: String?

    /// Makes a record; an unsigned file has a `reason`, a signed one has nil.
    package init(terminalId: String, ingestedAt: Int64, entries: Int64, isSigned: Bool, reason: String?) {
        self.terminalId = terminalId
        self.ingestedAt = ingestedAt
        self.entries = entries
        self.isSigned = isSigned
        self.reason = reason
    }

    var json: JSONValue {
        [
            "ingestedAt": .string(Timestamp.text(milliseconds: ingestedAt)), "entries": .integer(entries),
            "reason": JSONValue(reason),
        ]
    }
}

/// The journal entry behind a receipt.
package struct ReceiptEntry: Hashable, Sendable {
    /// The terminal that recorded the sale.
    package let terminalId: String
    /// The id of the `order.completed`, a ULID.
    package let mutationId: String
    /// SHA-256 in hex, as the terminal computed it.
    package let hash: String
    /// Minor units.
    package let total: Int64
    /// ISO 4217.
    package let currency: String
    /// Milliseconds since 1970.
    package let receivedAt: Int64

    package init(
        terminalId: String, mutationId: String, hash: String, total: Int64, currency: String,
        receivedAt: Int64
    ) {
        self.terminalId = terminalId
        self.mutationId = mutationId
        self.hash = hash
        self.total = total
        self.currency = currency
        self.receivedAt = receivedAt
    }
}
