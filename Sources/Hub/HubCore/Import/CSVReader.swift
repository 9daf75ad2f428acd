/// Reads comma-separated values as RFC 4180 has them, strictly: quotes only around whole fields, doubled
/// within, lines ended by CRLF or LF, UTF-8 with or without a byte-order mark.
package struct CSVReader {
    /// One record and the line that it begins on, from 1.
    package struct Record: Hashable, Sendable {
        /// A quoted field may contain line ends, so the next record can begin several lines later.
        package let line: Int
        /// In the order of the file, without their quotes; an empty field is an empty text.
        package let fields: [String]
    }

    private let bytes: [UInt8]
    private var position: Int
    private var line = 1

    /// Reads a complete file from memory; a byte-order mark at its beginning is passed over.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// How much has been read, from 0 to 1.
    package var progress: Double { bytes.isEmpty ? 1 : Double(position) / Double(bytes.count) }

    /// The next record; nil at the end. Empty lines are passed over.
    ///
    /// - Throws: ``CSVError`` with its line; nothing after it can be trusted.
    package mutating func next() throws(CSVError) -> Record? {
        while position < bytes.count {
            let start = line
            let fields = try record()
            if fields != [""] { return Record(line: start, fields: fields) }
        }
        return nil
    }

    private mutating func record() throws(CSVError) -> [String] {
        var fields: [String] = []
        while true {
            fields.append(try field())
            guard position < bytes.count else { return fields }
            switch bytes[position] {
            case UInt8(ascii: ","):
                position += 1
                if position == bytes.count { return fields + [""] }
            case UInt8(ascii: "\r") where position + 1 < bytes.count && bytes[position + 1] == 0x0A:
                position += 2
                line += 1
                return fields
            case 0x0A:
                position += 1
                line += 1
                return fields
            case _:
                throw CSVError(line: line, reason: .unexpectedCharacter)
            }
        }
    }

    private mutating func field() throws(CSVError) -> String {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return try plainField() }
        return try quotedField()
    }

    private mutating func plainField() throws(CSVError) -> String {
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: ",") || byte == 0x0A || byte == 0x0D { break }
            if byte == UInt8(ascii: "\"") { throw CSVError(line: line, reason: .strayQuote) }
            position += 1
        }
        return try text(bytes[start..<position])
    }

    private mutating func quotedField() throws(CSVError) -> String {
        let startLine = line
        var content: [UInt8] = []
        position += 1
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") {
                guard position < bytes.count, bytes[position] == byte else { return try text(content[...]) }
                position += 1
            }
            if byte == 0x0A { line += 1 }
            content.append(byte)
        }
        throw CSVError(line: startLine, reason: .unterminatedQuote)
    }

    private func text(_ slice: ArraySlice<UInt8>) throws(CSVError) -> String {
        guard let text = String(validating: slice, as: UTF8.self) else {
            throw CSVError(line: line, reason: .invalidUTF8)
        }
        return text
    }
}

/// Where a file is not valid CSV. The operator corrects the line and imports again.
package struct CSVError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The cause; ``CSVError/description`` explains each for a person.
    package enum Reason: Hashable, Sendable {
        case unexpectedCharacter
        case strayQuote
        case unterminatedQuote
        case invalidUTF8
        /// The field breaks its rule; the text explains how.
        case content(String)
    }

    /// From 1.
    package let line: Int
    /// The first cause on this line; nothing after it was read.
    package let reason: Reason

    /// An error on `line`, counted from 1.
    package init(line: Int, reason: Reason) {
        self.line = line
        self.reason = reason
    }

    /// `line 12: …` with the cause, for a person; no line end.
    package var description: String {
        let message =
            switch reason {
            case .unexpectedCharacter: "a comma or the end of the line must follow a field"
            case .strayQuote: "a quotation mark stands inside an unquoted field"
            case .unterminatedQuote: "a quoted field has no end"
            case .invalidUTF8: "the text is not UTF-8"
            case .content(let text): text
            }
        return "line \(line): \(message)"
    }
}
