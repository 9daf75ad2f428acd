internal import Foundation
internal import HubProtocol

/// The configuration file as it was written, checked before anything reads it: well-formed JSON, known keys
/// only, each value of its key's kind and range.
struct ConfigurationFile: Sendable {
    let path: String
    let document: JSONValue

    /// Reads and checks the file.
    ///
    /// - Throws: kind `unusable`, with the key, the nearest known one, the unit and the range.
    init(path: String) throws(TerminalError) {
        guard let bytes = try HomeFile.read(path) else {
            throw TerminalError(.unusable, code: "configuration_missing") { $0.configurationMissing(path) }
        }
        do {
            document = try JSONParser.parse(bytes)
        } catch {
            throw TerminalError(.unusable, code: "configuration_malformed") {
                $0.configurationMalformed(path, "\(error)")
            }
        }
        self.path = path
        guard document.object != nil else {
            throw TerminalError(.unusable, code: "configuration_malformed") { $0.configurationNoObject(path) }
        }
        try check(document, prefix: "")
    }

    private func check(_ value: JSONValue, prefix: String) throws(TerminalError) {
        for (name, member) in (value.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            let path = prefix + name
            if let key = ConfigurationKey.all.first(where: { $0.name == path }) {
                try key.check(member, source: self.path)
            } else if member.object != nil,
                ConfigurationKey.all.contains(where: { $0.name.hasPrefix(path + ".") })
            {
                try check(member, prefix: path + ".")
            } else {
                throw unknown(path)
            }
        }
    }

    private func unknown(_ name: String) -> TerminalError {
        let nearest =
            name.contains(".")
            ? ConfigurationKey.nearest(to: name)?.name : ConfigurationKey.nearestSection(to: name)
        return TerminalError(.unusable, code: "configuration_unknown_key") {
            $0.unknownKey(name, in: path, nearest: nearest)
        }
    }
}

extension ConfigurationKey {
    /// Refuses a value that is not of this key's kind or out of its range.
    func check(_ value: JSONValue, source: String) throws(TerminalError) {
        switch (kind, value) {
        case (.integer(_, _, let range), .integer(let number)) where range.contains(Int(number)): return
        case (.limit(_, _, let range), .integer(let number)) where range.contains(Int(number)): return
        case (.boolean, .bool), (.decision, .bool), (.text, .string): return
        case (.limit, .null), (.decision, .null), (.text, .null), (.list, .null), (.words, .null): return
        case (.list, .array(let elements)) where elements.allSatisfy({ $0.string != nil }): return
        case (.words(let words), .array(let elements))
        where elements.allSatisfy({ $0.string.map(words.contains) ?? false }):
            return
        case (.choice(let words, _), .string(let word)) where words.contains(word): return
        case (.integer, _), (.limit, _), (.boolean, _), (.decision, _), (.text, _), (.list, _), (.words, _),
            (.choice, _):
            throw refusal(of: value.canonicalText, source: source)
        }
    }

    /// The refusal of a value, with what would be right.
    func refusal(of value: String, source: String) -> TerminalError {
        TerminalError(.unusable, code: "configuration_value") {
            $0.wrongValue(value, of: "\(source): \(name)", .key(kind))
        }
    }
}
