/// How long the texts of documents are at most, in bytes of UTF-8, by the member that they are: of requests,
/// of what terminals write, of import files. All bounds are here.
///
/// A request with a longer text is refused before anything is done. Of a fact that has happened (a sale, a
/// refund, a count of cash) a longer text is kept as it is, flagged, and shown in part.
package enum TextBound {
    /// Ids, numbers, codes and names of things. Half of it does not hold two ids with what stands between
    /// them; twice as much doubles every key of the hub's tables.
    package static let name = 128
    /// What a person types on one line at a till: reasons, and names that people give. Twice as much is two
    /// rows of a receipt more.
    package static let entered = 200
    /// Names of people and goods, and whatever has no bound of its own. The longest names of goods that
    /// receipts show have some 120 bytes, three times that in Chinese.
    package static let title = 256
    /// A reason or remark on one line.
    package static let remark = 500
    /// What a scanner reads: a GS1 code has at most some hundred characters, a receipt's code 1,200.
    package static let scanned = 1_300
    /// The text of a note, a sealed token, or the path of a file.
    package static let page = 4_096
    /// The report of a shift as its hub signed it: some 100 bytes for each tender, tax and move of cash.
    package static let statement = 262_144

    /// The bound of a member of a document, or of a column of an import file.
    package static func bytes(of member: String) -> Int {
        switch member {
        case "id", "sku", "key", "code", "coupon", "coupons", "entity", "type", "kind", "state", "method",
            "currency", "department", "departments", "reference", "dependsOn", "supersedes", "discards",
            "tier",
            "group":
            name
        case "reason", "note", "detail", "discountReason", "declineReason": remark
        case "barcode", "article", "receipt", "receiptCode", "search": scanned
        case "text", "token", "file": page
        case "report": statement
        case _ where ["Id", "Ids", "_id", "Number", "Key"].contains(where: member.hasSuffix): name
        case _: title
        }
    }

    /// A text that is longer than its bound.
    package struct Excess: Hashable, Sendable, CustomStringConvertible {
        /// Where it stands, for example `lines[3].sku`; cut where that is long itself.
        package let path: String
        /// How many bytes it may have.
        package let bound: Int

        /// Text for a person, for example `` `lines[3].sku` has more than 128 bytes ``.
        package var description: String { "`\(path.printable)` has more than \(bound) bytes" }

        fileprivate func within(_ step: String) -> Excess {
            let joint = path.isEmpty || path.hasPrefix("[") ? "" : "."
            return Excess(path: TextBound.shown(step + joint + path), bound: bound)
        }
    }

    /// The first text of `document` that is longer than its bound, a member's name among them; nil: none.
    package static func excess(in document: JSONValue) -> Excess? { excess(in: document, of: "") }

    private static func excess(in value: JSONValue, of member: String) -> Excess? {
        switch value {
        case .string(let text):
            // Most texts are shorter than the least bound.
            guard text.utf8.count > name, case let bound = bytes(of: member), text.utf8.count > bound else {
                return nil
            }
            return Excess(path: "", bound: bound)
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                if let excess = excess(in: element, of: member) { return excess.within("[\(index)]") }
            }
            return nil
        case .object(let members):
            for (key, value) in members {
                guard key.utf8.count <= name else { return Excess(path: "", bound: name).within(shown(key)) }
                if let excess = excess(in: value, of: key) { return excess.within(key) }
            }
            return nil
        case _: return nil
        }
    }

    /// The text as a page, a list or a line of a log shows it: whole up to `bound` bytes, else its beginning
    /// with an ellipsis.
    package static func shown(_ text: String, upTo bound: Int = TextBound.title) -> String {
        guard text.utf8.count > bound else { return text }
        var (start, bytes) = (String.UnicodeScalarView(), ellipsis.utf8.count)
        for scalar in text.unicodeScalars {
            bytes += UTF8.width(scalar)
            guard bytes <= bound else { break }
            start.append(scalar)
        }
        return String(start) + ellipsis
    }

    /// The document with every text as ``shown(_:upTo:)`` has it.
    package static func shown(_ document: JSONValue) -> JSONValue {
        switch document {
        case .string(let text): .string(shown(text))
        case .array(let elements): .array(elements.map(shown))
        case .object(let members):
            .object(
                JSONObject(
                    Dictionary(members.map { (shown($0.key), shown($0.value)) }) { first, _ in first }))
        case _: document
        }
    }

    /// The text as tables look it up and sum it up: itself up to ``name`` bytes, else its beginning with its
    /// digest, which differs for two texts that differ.
    package static func key(_ text: String) -> String {
        guard text.utf8.count > name else { return text }
        let digest = Digest.sha256Hex(Array(text.utf8)).prefix(32)
        return shown(text, upTo: name - digest.utf8.count) + digest
    }

    private static let ellipsis = "…"
}
