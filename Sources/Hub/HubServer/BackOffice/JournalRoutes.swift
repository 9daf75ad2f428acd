internal import HubCore
internal import HubProtocol
internal import HubStore

/// `GET /v1/journal`: what happened, in the order of arrival.
struct JournalRoutes: Sendable {
    let ledger: any Ledger

    var routes: [Route] {
        [
            Route(
                .get, Routes.journal, .operator(.exportRecords),
                parameters: ["after", "limit", "storeId", "types"], response: journal)
        ]
    }

    @Sendable private func journal(_ request: HubRequest) async throws -> HubResponse {
        let page = try await JournalPage.read(
            after: request.query("after"), limit: request.query("limit"),
            JournalFilter(
                storeId: request.query("storeId"), kinds: JournalPage.kinds(request.query("types"))),
            from: ledger)
        // What is behind a place never changes, so the place where the page ends names it.
        return page.response.tagged("\(page.cursor.text)-\(page.documents.count)", for: request)
    }
}

/// A page of the journal feed as it is served.
struct JournalPage: Sendable {
    let documents: [String]
    let cursor: JournalCursor
    let hasMore: Bool

    /// How many documents a page has at most.
    static let mostDocuments = 1_000

    /// - Parameters:
    ///   - after: the `cursor` of the page before; nil or empty: from the beginning.
    ///   - limit: as a text; nil: ``mostDocuments``.
    static func read(
        after: String?, limit: String?, _ filter: JournalFilter, from ledger: any Ledger
    ) async throws -> JournalPage {
        let range = 1...Int64(mostDocuments)
        guard let limit = ClampedNumber.value(of: limit ?? "\(mostDocuments)", in: range) else {
            throw Problem.malformed("limit is a whole number from 1 to \(mostDocuments).")
        }
        let cursor = try after.flatMap { $0.isEmpty ? nil : $0 }.map { text throws(Problem) in
            guard let cursor = JournalCursor(text) else {
                throw .malformed("\"\(text)\" is no cursor of the journal; start again without one.")
            }
            return cursor
        }
        switch try await ledger.journal(after: cursor, limit: Int(limit), filter) {
        case .page(let documents, let cursor, let hasMore):
            return JournalPage(documents: documents, cursor: cursor, hasMore: hasMore)
        case .expired(let life, let number): throw Problem.journalExpired(life, sameThrough: number)
        case .archived(let files, let life): throw Problem.archived(files, life: life)
        }
    }

    /// The kinds of a list with commas; nil: all.
    static func kinds(_ list: String?) throws(Problem) -> Set<JournalDocument.Kind>? {
        guard let list else { return nil }
        var kinds: Set<JournalDocument.Kind> = []
        for name in list.split(separator: ",", omittingEmptySubsequences: false) {
            guard let kind = JournalDocument.Kind(rawValue: String(name)) else {
                let known = JournalDocument.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw .malformed(
                    "types is a list of \(known), with commas between; \"\(name)\" is none of them.")
            }
            kinds.insert(kind)
        }
        return kinds
    }

    /// For a command, which writes the documents as they are.
    var json: JSONValue {
        [
            "documents": .array(documents.map(JSONValue.string)), "cursor": .string(cursor.text),
            "hasMore": .bool(hasMore),
        ]
    }

    /// The documents go out as they lie in the store.
    var response: HubResponse {
        var body = Array("{\"documents\":[".utf8)
        body.reserveCapacity(documents.reduce(256) { $0 + $1.utf8.count + 1 })
        for (index, document) in documents.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += document.utf8
        }
        body += "],\"cursor\":\"\(cursor.text)\",\"hasMore\":\(hasMore)}".utf8
        return HubResponse(status: 200, contentType: "application/json", body: body)
    }
}

extension Problem {
    fileprivate static func journalExpired(_ life: String, sameThrough number: Int64) -> Problem {
        Problem(
            status: 410, code: .cursorExpired, title: "The cursor is of another life of this hub",
            detail:
                "The hub was restored since. What you have up to the number \(number) is the same here: take back "
                + "what came behind it, and go on after \(life).\(number).",
            extensions: ["journal": .string(life), "sameThrough": .integer(number)])
    }

    /// - Parameter files: one at least.
    static func archived(_ files: [ArchivedDocuments], life: String) -> Problem {
        let cursor = JournalCursor(life: life, number: files.map(\.through).max() ?? 0)
        let names = files.map(\.file).joined(separator: ", ")
        return Problem(
            status: 410, code: .archived, title: "The documents are in an archive",
            detail:
                "Read them with `pos-hub archive show FILE --documents` from \(names), and go on after \(cursor.text).",
            extensions: [
                "archives": .array(
                    files.map { file in
                        [
                            "file": .string(file.file), "before": .string(file.before),
                            "through": .string(JournalCursor(life: life, number: file.through).text),
                        ]
                    }), "cursor": .string(cursor.text),
            ])
    }
}
