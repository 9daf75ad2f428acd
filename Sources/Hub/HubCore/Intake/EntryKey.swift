/// What the hub keeps an entry of a journal under.
///
/// Ids are minted by terminals and known to others, so two devices may use one. The first entry of an id has
/// the id itself as its key; that of another device has the id with its terminal's id behind it. Both are
/// entries of their own, and nothing that names one touches the other. Orders are kept by their ids in the
/// same way, and card payments by their keys, which the payment service gets as they are kept.
package enum EntryKey {
    /// Of a ULID: what is longer is the key of an entry whose id another device used first.
    package static let idLength = 26

    /// The key of a terminal's entry whose id another device used first. `~` is in no ULID.
    package static func ofSharedId(_ id: String, from terminalId: String) -> String {
        "\(id)~\(terminalId)"
    }

    /// The key of a new order: its id, unless another device has an order of that id. One with a `~` of its
    /// own always ends with its terminal's id, so that no two orders have one key.
    static func ofOrder(_ id: String, from terminalId: String, isShared: Bool) -> String {
        isShared || id.contains("~") ? ofSharedId(id, from: terminalId) : id
    }

    /// The key that a terminal minted, of a payment's row.
    ///
    /// - Parameter terminalId: the terminal that the row names.
    package static func mintedPayment(of key: String, from terminalId: String) -> String {
        let end = "~\(terminalId)"
        return key.count > end.count && key.hasSuffix(end) ? String(key.dropLast(end.count)) : key
    }

    /// The id that the terminal minted, of an entry's key; of an order's it is kept beside the key, since an
    /// order's id may have any length.
    package static func mintedId(of key: String) -> String { String(key.prefix(idLength)) }
}
