internal import HubProtocol

/// One key of the terminal's configuration: what it means, its unit, its default and its range.
///
/// A value out of range is refused, never clamped.
struct ConfigurationKey: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case integer(unit: String, default: Int, range: ClosedRange<Int>)
        /// A number, or null, the default, for what `standard` has in words.
        case limit(unit: String, standard: String, range: ClosedRange<Int>)
        case boolean(default: Bool)
        /// True, false, or null, the default, for what `standard` has in words.
        case decision(standard: String)
        /// `default` nil: none.
        case text(default: String?)
        case list
        /// A list out of these words; default: none.
        case words([String])
        /// One of these words.
        case choice([String], default: String)
    }

    /// The path in the file, for example `network.debounceSeconds`.
    let name: String
    let kind: Kind
    /// What it does and what to beware of, in one sentence or two.
    let meaning: String

    /// The environment variable that overrides the file: `POS_` and the words in capitals.
    var environmentName: String {
        var result = "POS_"
        var previousIsLowercase = false
        for character in name {
            if character == "." {
                result.append("_")
                previousIsLowercase = false
                continue
            }
            if character.isUppercase, previousIsLowercase { result.append("_") }
            previousIsLowercase = character.isLowercase
            result.append(contentsOf: character.uppercased())
        }
        return result
    }
}

extension ConfigurationKey {
    /// The key called `name`; the callers name keys of ``all``.
    static func named(_ name: String) -> ConfigurationKey {
        guard let key = all.first(where: { $0.name == name }) else {
            preconditionFailure("no configuration key is called \(name)")
        }
        return key
    }

    /// The known key that is closest to `name` by edit distance; nil when none is close.
    static func nearest(to name: String) -> ConfigurationKey? {
        let ranked = all.map { (key: $0, distance: editDistance(name.lowercased(), $0.name.lowercased())) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(3, name.count / 3) ? best.key : nil
    }

    /// The first word of keys that `name` comes nearest to, `network` for example; nil for none.
    static func nearestSection(to name: String) -> String? {
        let sections = Set(all.compactMap { $0.name.split(separator: ".").first.map(String.init) })
        let ranked = sections.map { (name: $0, distance: editDistance(name.lowercased(), $0.lowercased())) }
        guard let best = ranked.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }) else {
            return nil
        }
        return best.distance <= max(2, name.count / 3) ? best.name : nil
    }
}

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
        case .limit(_, let standard, _): standard
        case .boolean(let standard): "\(standard)"
        case .decision(let standard): standard
        case .text(let standard): standard ?? "none"
        case .list, .words: "none"
        case .choice(_, let standard): standard
        }
    }

    private var rangeText: String {
        switch kind {
        case .integer(let unit, _, let range), .limit(let unit, _, let range):
            "\(range.lowerBound)–\(range.upperBound) \(unit)"
        case .boolean, .decision: "true, false"
        case .text: "text"
        case .list: "list of texts"
        case .words(let words): "list out of " + words.joined(separator: ", ")
        case .choice(let words, _): words.joined(separator: ", ")
        }
    }
}
