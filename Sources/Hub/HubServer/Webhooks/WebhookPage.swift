internal import HubCore
internal import HubStore

/// What one delivery has.
struct WebhookPage: Sendable {
    let documents: [String]
    /// The place behind the documents.
    let cursor: JournalCursor
    /// The life of a restored hub, and the number up to which it has what the receiver got of the life
    /// before; nil where the receiver's place is of this life.
    let restored: (life: String, sameThrough: Int64)?

    /// The next documents for a receiver, within the bounds of ``WebhookSender``.
    ///
    /// - Throws: ``WebhookArchived`` where they are in archives.
    static func read(
        behind place: JournalCursor, for webhook: Webhook, from ledger: any Ledger
    ) async throws -> WebhookPage {
        let filter = JournalFilter(kinds: webhook.kinds)
        var (place, limit) = (place, WebhookSender.mostDocuments)
        var restored: (life: String, sameThrough: Int64)?
        while true {
            switch try await ledger.journal(after: place, limit: limit, filter) {
            case .page(let documents, let cursor, let hasMore):
                if documents.isEmpty, hasMore, restored != nil {
                    // That the hub was restored is said with the first document, however far it is.
                    place = cursor
                    continue
                }
                guard limit > 1, documents.reduce(0, { $0 + $1.utf8.count + 1 }) > WebhookSender.mostBytes
                else { return WebhookPage(documents: documents, cursor: cursor, restored: restored) }
                limit = max(1, limit / 2)
            case .archived(let files, let life): throw WebhookArchived(files: files, life: life)
            case .expired(let life, let number):
                guard restored == nil else {
                    throw LedgerError.failed(
                        "the journal's life \(life) does not have its own number \(number)")
                }
                // What the receiver was sent is at least what it has: it takes back what came behind.
                let shared = min(number, place.number)
                restored = (life, shared)
                place = JournalCursor(life: life, number: shared)
            }
        }
    }

    /// `{"documents","cursor"}`, and of a restored hub `restored`, until the receiver has accepted it.
    var body: [UInt8] {
        var body = Array("{\"documents\":[".utf8)
        for (index, document) in documents.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += document.utf8
        }
        body += "],\"cursor\":\"\(cursor.text)\"".utf8
        if let restored {
            body +=
                ",\"restored\":{\"journal\":\"\(restored.life)\",\"sameThrough\":\(restored.sameThrough)}"
                .utf8
        }
        return body + "}".utf8
    }
}

/// The next documents for a receiver are in archives: a person reads them in and skips them.
struct WebhookArchived: Error {
    let files: [ArchivedDocuments]
    let life: String

    /// Of a receiver that waits for them.
    var words: String { "its next documents are \(place), then skip through \(end)" }

    /// - Parameters:
    ///   - cursor: a place in front of them, as a person named it.
    ///   - option: by which it was named.
    func words(behind cursor: String, option: String) -> String {
        "The documents behind \(cursor) are \(place), then go on behind them with --\(option) \(end)."
    }

    private var place: String {
        "in \(files.map(\.file).joined(separator: ", ")): read them in with "
            + "`pos-hub archive show FILE --documents`"
    }

    /// The cursor of the last of them.
    private var end: String { JournalCursor(life: life, number: files.map(\.through).max() ?? 0).text }
}
