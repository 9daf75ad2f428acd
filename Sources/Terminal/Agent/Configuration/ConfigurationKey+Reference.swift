extension ConfigurationKey {
    /// The reference table of every key in Markdown, as `docs/reference/configuration.md` holds it.
    static var referenceTable: String {
        let rows = all.map { key in
            "| `\(key.name)` | `\(key.environmentName)` | \(key.standardText) | \(key.rangeText) | \(key.meaning) |"
        }
        return
            (["| key | environment | default | range | meaning |", "| --- | --- | --- | --- | --- |"] + rows)
            .joined(separator: "\n")
    }

    private var standardText: String {
        switch kind {
        case .integer(_, let standard, _): "\(standard)"
        case .boolean(let standard): "\(standard)"
        case .text(let standard): standard ?? "none"
        case .list, .words: "none"
        case .choice(_, let standard): standard
        }
    }

    private var rangeText: String {
        switch kind {
        case .integer(let unit, _, let range): "\(range.lowerBound)–\(range.upperBound) \(unit)"
        case .boolean: "true, false"
        case .text: "text"
        case .list: "list of texts"
        case .words(let words): "list out of " + words.joined(separator: ", ")
        case .choice(let words, _): words.joined(separator: ", ")
        }
    }
}
