/// A place in the change feed. The hub signs its text, so that it cannot be forged.
package struct ChangeCursor: Hashable, Sendable {
    /// The id of the feed's incarnation: another one after a restore or a new database.
    package let feed: String
    /// Everything up to this position was delivered; 0 is the beginning.
    package let position: Int64
    /// The form in which the rows before it were shown. A terminal that gets another form now has to begin
    /// anew. Empty for the form of before there were several. Letters, digits and hyphens.
    package let form: String

    /// A place in `feed`; `form` is empty by default, the only form of earlier versions.
    package init(feed: String, position: Int64, form: String = "") {
        self.feed = feed
        self.position = position
        self.form = form
    }

    /// Reads what ``text`` wrote; nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), !parts[0].isEmpty, let position = Int64(parts[1]),
            position >= 0, parts.count == 2 || !parts[2].isEmpty
        else { return nil }
        feed = String(parts[0])
        self.position = position
        form = parts.count == 3 ? String(parts[2]) : ""
    }

    /// `<feed>.<position>`, with `.<form>` unless the form is empty. It is not signed yet.
    package var text: String { "\(feed).\(position)" + (form.isEmpty ? "" : "." + form) }
}
