/// A place in the journal feed.
package struct JournalCursor: Hashable, Sendable {
    /// The hub's life: another one begins with each restore, since what the copy lacks happened all the same.
    package let life: String
    /// The number of the last document before the place; 0 is the beginning.
    package let number: Int64

    package init(life: String, number: Int64) {
        self.life = life
        self.number = number
    }

    /// Reads what ``text`` wrote; nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let number = Int64(parts[1]), number >= 0 else {
            return nil
        }
        self.init(life: String(parts[0]), number: number)
    }

    /// `<life>.<number>`.
    package var text: String { "\(life).\(number)" }
}

/// Which documents of the journal feed are meant.
package struct JournalFilter: Hashable, Sendable {
    /// Nil: those of every store.
    package var storeId: String?
    /// Nil: all.
    package var kinds: Set<JournalDocument.Kind>?

    /// All documents, but for what is named.
    package init(storeId: String? = nil, kinds: Set<JournalDocument.Kind>? = nil) {
        self.storeId = storeId
        self.kinds = kinds
    }
}

/// What is found behind a place of the journal feed.
package enum JournalReading: Hashable, Sendable {
    /// Documents as they were written, in the order of arrival; `hasMore`: there were further ones then.
    case page(documents: [String], cursor: JournalCursor, hasMore: Bool)
    /// The cursor is of another life, or of documents that a restore took away. What this life has up to
    /// `sameThrough` is what the cursor's had.
    case expired(life: String, sameThrough: Int64)
    /// The next documents are in archives: files in the order of their documents.
    case archived([ArchivedDocuments], life: String)
}

/// Documents that lie in a file.
package struct ArchivedDocuments: Hashable, Sendable {
    /// The file as it was named.
    package let file: String
    /// `YYYY-MM-DD`: the first day that is not in it.
    package let before: String
    /// The number of the last one.
    package let through: Int64

    package init(file: String, before: String, through: Int64) {
        (self.file, self.before, self.through) = (file, before, through)
    }
}
