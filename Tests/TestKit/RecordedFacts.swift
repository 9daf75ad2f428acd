import Foundation
package import HubProtocol

/// Payloads as tills write them, and what readers make of payloads in which one member is missing or wrong
/// (`Tests/Recordings/facts`). A change of a reader or writer shows itself there.
///
/// `REGENERATE_FACTS=1` writes the files anew instead of comparing them.
package enum RecordedFacts {
    /// A payload with the type of its mutation.
    package struct Payload: Sendable {
        /// What distinguishes it from others of its type.
        package let name: String
        /// Of the mutation.
        package let type: String
        /// In canonical form.
        package let text: String

        /// Makes a payload.
        package init(_ name: String, _ type: String, _ text: String) {
            (self.name, self.type, self.text) = (name, type, text)
        }
    }

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Recordings/facts")

    /// Whether the files are written anew.
    package static var isRegenerating: Bool { ProcessInfo.processInfo.environment["REGENERATE_FACTS"] != nil }

    /// The recorded payloads.
    package static func payloads() throws -> [Payload] {
        try text("payloads.txt").split(separator: "\n").map { line in
            let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
            return Payload(parts[0], parts[1], parts[2])
        }
    }

    /// The text of a file.
    package static func text(_ file: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
    }

    /// The lines in which `text` and the file differ; none after the file was written anew.
    package static func differences(_ text: String, from file: String) throws -> [String] {
        guard !isRegenerating else {
            try text.write(to: folder.appendingPathComponent(file), atomically: true, encoding: .utf8)
            return []
        }
        let kept = try Self.text(file).components(separatedBy: "\n")
        let made = text.components(separatedBy: "\n")
        return made.difference(from: kept).map { change in
            switch change {
            case .insert(_, let line, _): "+ \(line)"
            case .remove(_, let line, _): "- \(line)"
            }
        }
    }

    /// A payload in which one member is another.
    package struct Variant: Sendable {
        /// The member's path and what it is, for example `lines[0].sku missing`.
        package let name: String
        /// The complete payload.
        package let payload: JSONValue
    }

    /// Each member of `payload` in turn: missing, null, of a wrong type, out of range, too long. Of a list
    /// the first element stands for all.
    package static func variants(of payload: JSONValue) -> [Variant] { changes(of: payload, at: "") }

    private static func changes(of value: JSONValue, at path: String) -> [Variant] {
        switch value {
        case .object(let members):
            return members.flatMap { key, member -> [Variant] in
                let place = path.isEmpty ? key : "\(path).\(key)"
                func with(_ other: JSONValue?) -> JSONValue {
                    var changed = members
                    changed[key] = other
                    return .object(changed)
                }
                return [Variant(name: "\(place) missing", payload: with(nil))]
                    + others(than: member).map { Variant(name: "\(place) \($0)", payload: with($1)) }
                    + changes(of: member, at: place).map { Variant(name: $0.name, payload: with($0.payload)) }
            }
        case .array(let elements):
            guard let first = elements.first else { return [] }
            func with(_ other: JSONValue) -> JSONValue { .array([other] + elements.dropFirst()) }
            return others(than: first).map { Variant(name: "\(path)[0] \($0)", payload: with($1)) }
                + changes(of: first, at: "\(path)[0]").map {
                    Variant(name: $0.name, payload: with($0.payload))
                }
        case _: return []
        }
    }

    private static func others(than value: JSONValue) -> [(String, JSONValue)] {
        let kinds: [(String, JSONValue)] =
            switch value {
            case .string:
                [
                    ("7", 7), ("[]", []), ("empty", ""), ("other", "zzz"),
                    ("long", .string(String(repeating: "x", count: 5_000))),
                ]
            case .integer:
                [
                    ("text", "7"), ("-1", -1), ("0", 0), ("3", 3), ("10^12+1", 1_000_000_000_001),
                    ("2^53-1", .integer(1 << 53 - 1)), ("2^63-1", .integer(.max)), ("-2^63", .integer(.min)),
                ]
            case .bool: [("text", "true"), ("false", false)]
            case .array: [("[]", []), ("text", "x"), ("[7]", [7]), ("{}", [:])]
            case .object: [("{}", [:]), ("text", "x"), ("[]", [])]
            case .null: [("7", 7), ("text", "zzz")]
            case .double: []
            }
        return [("null", .null)] + kinds
    }
}
