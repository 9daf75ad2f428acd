/// A place in the change feed. The hub signs its text, so that it cannot be forged.
public struct ChangeCursor: Hashable, Sendable {
    /// The id of the feed's incarnation: another one after a restore or a new database.
    public let feed: String
    /// Everything up to this position was delivered; 0 is the beginning.
    public let position: Int64
    /// The form in which the rows before it were shown. A terminal that gets another form now has to begin
    /// anew. Empty for the form of before there were several. Letters, digits and hyphens.
    public let form: String

    /// A place in `feed`; `form` is empty by default, the only form of earlier versions.
    public init(feed: String, position: Int64, form: String = "") {
        self.feed = feed
        self.position = position
        self.form = form
    }

    /// Reads what ``text`` wrote; nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), !parts[0].isEmpty, let position = Int64(parts[1]),
            position >= 0, parts.count == 2 || !parts[2].isEmpty
        else { return nil }
        feed = String(parts[0])
        self.position = position
        form = parts.count == 3 ? String(parts[2]) : ""
    }

    /// `<feed>.<position>`, with `.<form>` unless the form is empty. It is not signed yet.
    public var text: String { "\(feed).\(position)" + (form.isEmpty ? "" : "." + form) }
}

/// Where a page of the change feed ends besides its number of rows: so that no row, however it came into the
/// feed, makes a page that a terminal cannot read, and no request makes the hub hold more than this.
public enum ChangePageLimit {
    /// 2 MiB, an eighth of what terminals read at once (16 MiB). Half of it makes a new terminal request
    /// twice as often; twice as much lets 1,000 requests at once hold 4 GiB.
    public static let bytes: Int64 = 2 << 20

    /// The bytes of a row besides its texts: the names of its members, version, times and position.
    public static let rowOverhead: Int64 = 256

    /// Whether a row still belongs to a page: one row does, whatever its size.
    ///
    /// - Parameters:
    ///   - before: the bytes of the rows before it.
    ///   - bytes: its own.
    public static func takes(_ bytes: Int64, behind before: Int64) -> Bool {
        before == 0 || before + bytes <= Self.bytes
    }
}
