package import HubCore
internal import Synchronization

/// What one hub keeps in memory from one transaction of its intake to the next.
package struct IntakeMemory: Sendable {
    package let earned = KnownEarned()
    package let sales = RecentSales()

    /// Knows nothing.
    package init() {}
}

/// Documents of sales that this hub wrote and has not added to the sums yet: to read one again costs as much
/// as its intake did. A document is recognized by its whole text, so that one of a transaction that was
/// undone, or that another hub added, is never taken for what the store has.
package final class RecentSales: Sendable {
    private struct Recent {
        var documents: [String: JournalDocument] = [:]
        var bytes = 0
    }

    /// Bytes of texts: some 4,000 sales, four times what one part of the sums takes. A hub whose sums do not
    /// follow reads them from the store.
    private static let mostBytes = 8 << 20

    private let recent = Mutex(Recent())

    /// Keeps the document of a sale, a void or a refund until it is taken; all others do nothing.
    package func keep(_ document: JournalDocument) {
        guard let entry = document.entry, document.sale != nil else { return }
        let size = document.text.utf8.count
        recent.withLock { recent in
            // What is left then is of other hubs' sums or of transactions that were undone.
            if recent.bytes + size > Self.mostBytes { recent = Recent() }
            // A transaction that is repeated makes its documents again.
            let before = recent.documents.updateValue(document, forKey: entry)
            recent.bytes += size - (before?.text.utf8.count ?? 0)
        }
    }

    /// Takes out what the document of an entry says; nil: not known.
    ///
    /// - Parameter text: the document as the store has it.
    func take(_ entry: String, as text: String?) -> SaleDocument? {
        let known = recent.withLock { recent in
            let known = recent.documents.removeValue(forKey: entry)
            recent.bytes -= known?.text.utf8.count ?? 0
            return known
        }
        return known.flatMap { $0.text == text ? $0.sale : nil }
    }
}
