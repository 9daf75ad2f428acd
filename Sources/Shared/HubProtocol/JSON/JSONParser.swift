/// Reads JSON strictly as RFC 8259 has it: UTF-8 without byte-order mark, no trailing comma, no repeated key,
/// no lone surrogate, nothing after the document, and no deeper than a limit.
package struct JSONParser {
    /// How many objects and arrays may lie in each other (http.md section 1).
    package static let maximumDepth = 64

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    /// Grows with everything that the canonical form (RFC 8785) would write in another way.
    private var oddities = 0
    /// The member of the document whose elements are looked at, and where those lie that are canonical.
    private let watched: String?
    private var spans: [Range<Int>?] = []

    private init(_ bytes: UnsafeBufferPointer<UInt8>, watching watched: String? = nil) {
        self.bytes = bytes
        self.watched = watched
    }

    /// The document in `bytes`, and of each element of its array `key` where it lies, if it stands there in
    /// canonical form already; nil for one that does not.
    ///
    /// Being wrong to the careful side is allowed: nil costs writing it anew.
    package static func parse(
        _ bytes: [UInt8], lookingFor key: String
    ) throws(JSONError) -> (value: JSONValue, spans: [Range<Int>?]) {
        var spans: [Range<Int>?] = []
        let document = bytes.withUnsafeBufferPointer { buffer in
            var parser = JSONParser(buffer, watching: key)
            defer { spans = parser.spans }
            return parser.document()
        }
        return (try document.get(), spans)
    }

    /// The document in `bytes`.
    ///
    /// - Throws: ``JSONError`` with the byte offset of the first thing that is not JSON.
    package static func parse(_ bytes: some Sequence<UInt8>) throws(JSONError) -> JSONValue {
        let parsed: Result<JSONValue, JSONError>? = bytes.withContiguousStorageIfAvailable { buffer in
            parseBuffer(buffer)
        }
        if let parsed { return try parsed.get() }
        return try Array(bytes).withUnsafeBufferPointer { parseBuffer($0) }.get()
    }

    private static func parseBuffer(_ buffer: UnsafeBufferPointer<UInt8>) -> Result<JSONValue, JSONError> {
        var parser = JSONParser(buffer)
        return parser.document()
    }

    private mutating func document() -> Result<JSONValue, JSONError> {
        do throws(JSONError) {
            let value = try value(depth: 1)
            skipSpace()
            guard position == bytes.count else { throw error(.trailingContent) }
            return .success(value)
        } catch {
            return .failure(error)
        }
    }

    private func error(_ reason: JSONError.Reason) -> JSONError {
        JSONError(reason: reason, offset: position)
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
            oddities += 1
        }
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        skipSpace()
        switch current {
        case nil: throw error(.unexpectedEnd)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard depth <= Self.maximumDepth else { throw error(.tooDeep) }
            return current == UInt8(ascii: "{") ? try object(depth: depth) : try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case .some: return try number()
        }
    }

    private mutating func literal(_ literal: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue
    {
        let count = literal.utf8CodeUnitCount
        guard position + count <= bytes.count else { throw error(.unexpectedEnd) }
        for index in 0..<count where bytes[position + index] != literal.utf8Start[index] {
            throw error(.unexpectedByte)
        }
        position += count
        return value
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        position += 1
        let start = position
        var members: [JSONObject.Member] = []
        var isOrdered = true
        var lastKey = position..<position
        skipSpace()
        if current == UInt8(ascii: "}") {
            position += 1
            return .object(JSONObject())
        }
        while true {
            skipSpace()
            let before = oddities
            let (key, place) = try key()
            if oddities != before || !(members.isEmpty || follows(lastKey, place)) { isOrdered = false }
            lastKey = place
            let member = try depth == 1 && key == watched ? watchedValue() : value(depth: depth + 1)
            members.append(JSONObject.Member(key: key, value: member))
            if try endsOrContinues(with: UInt8(ascii: "}")) { break }
        }
        guard !isOrdered else { return .object(JSONObject(ordered: members)) }
        oddities += 1
        return .object(try ordered(members, from: start, depth: depth))
    }

    /// A member's key, with the place between its quotes, and the colon behind it.
    private mutating func key() throws(JSONError) -> (text: String, place: Range<Int>) {
        guard current == UInt8(ascii: "\"") else {
            throw error(current == nil ? .unexpectedEnd : .unexpectedByte)
        }
        let start = position + 1
        let key = try string()
        let end = position - 1
        skipSpace()
        guard current == UInt8(ascii: ":") else {
            throw error(current == nil ? .unexpectedEnd : .unexpectedByte)
        }
        position += 1
        return (key, start..<end)
    }

    /// Whether the key at `next` surely comes behind the one at `last`: bytes and UTF-16 units sort alike
    /// below EE.
    private func follows(_ last: Range<Int>, _ next: Range<Int>) -> Bool {
        let (lastKey, nextKey) = (bytes[last], bytes[next])
        return nextKey.allSatisfy { $0 < 0xEE } && lastKey.lexicographicallyPrecedes(nextKey)
    }

    private mutating func ordered(
        _ members: [JSONObject.Member], from start: Int, depth: Int
    ) throws(JSONError) -> JSONObject {
        let object = JSONObject(members.map { ($0.key, $0.value) })
        guard object.count < members.count else { return object }
        throw try repetition(from: start, depth: depth)
    }

    /// Walks the object at `start` once more, to the first key that was there before.
    private mutating func repetition(from start: Int, depth: Int) throws(JSONError) -> JSONError {
        position = start
        var seen: Set<[UInt8]> = []
        while true {
            skipSpace()
            let (key, place) = try key()
            guard seen.insert(Array(key.utf8)).inserted else {
                return JSONError(reason: .repeatedKey(key), offset: place.lowerBound - 1)
            }
            _ = try value(depth: depth + 1)
            if try endsOrContinues(with: UInt8(ascii: "}")) { return error(.unexpectedByte) }
        }
    }

    /// The watched array, its elements' places noted; anything else as it is.
    private mutating func watchedValue() throws(JSONError) -> JSONValue {
        skipSpace()
        guard current == UInt8(ascii: "[") else { return try value(depth: 2) }
        return try array(depth: 2, noting: true)
    }

    private mutating func array(depth: Int, noting: Bool = false) throws(JSONError) -> JSONValue {
        position += 1
        var elements: [JSONValue] = []
        skipSpace()
        if current == UInt8(ascii: "]") {
            position += 1
            return .array(elements)
        }
        while true {
            if noting { skipSpace() }
            let (start, before) = (position, oddities)
            elements.append(try value(depth: depth + 1))
            if noting { spans.append(oddities == before ? start..<position : nil) }
            if try endsOrContinues(with: UInt8(ascii: "]")) { return .array(elements) }
        }
    }

    /// True at the closing bracket, false behind a comma.
    private mutating func endsOrContinues(with closing: UInt8) throws(JSONError) -> Bool {
        skipSpace()
        guard let byte = current else { throw error(.unexpectedEnd) }
        guard byte == closing || byte == UInt8(ascii: ",") else { throw error(.unexpectedByte) }
        position += 1
        return byte == closing
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        if current == UInt8(ascii: "-") { position += 1 }
        let firstDigit = current
        guard skipDigits() > 0 else { throw error(current == nil ? .unexpectedEnd : .unexpectedByte) }
        let isNegative = bytes[start] == UInt8(ascii: "-")
        if firstDigit == UInt8(ascii: "0"), position - start > (isNegative ? 2 : 1) {
            throw JSONError(reason: .unexpectedByte, offset: start)
        }
        var isInteger = true
        if current == UInt8(ascii: ".") {
            isInteger = false
            position += 1
            guard skipDigits() > 0 else { throw error(.unexpectedByte) }
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            isInteger = false
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            guard skipDigits() > 0 else { throw error(.unexpectedByte) }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let integer = Int64(text) {
            if integer.magnitude >= 1 << 53 || (isNegative && integer == 0) { oddities += 1 }
            return .integer(integer)
        }
        oddities += 1
        guard let double = Double(text), double.isFinite else {
            throw JSONError(reason: .numberTooLarge, offset: start)
        }
        // 1e3 and 1000.0 are the integer 1000, as JSON Schema and RFC 8785 have it.
        if let whole = Int64(exactly: double), whole.magnitude < 1 << 53 { return .integer(whole) }
        return .double(double)
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while let byte = current, byte >= 0x30, byte <= 0x39 { position += 1 }
        return position - start
    }

    private mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        var seen: UInt8 = 0
        while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
            seen |= byte
            position += 1
        }
        guard let byte = current else { throw error(.unexpectedEnd) }
        if byte == UInt8(ascii: "\"") {
            let slice = UnsafeBufferPointer(rebasing: bytes[start..<position])
            let text = seen < 0x80 ? Self.text(ascii: slice) : try validated(slice, at: start)
            position += 1
            return text
        }
        oddities += 1
        return try escapedString(from: start)
    }

    private static func text(ascii slice: UnsafeBufferPointer<UInt8>) -> String {
        String(unsafeUninitializedCapacity: slice.count) { $0.initialize(from: slice).index }
    }

    private func validated(
        _ slice: some Collection<UInt8>, at offset: Int
    ) throws(JSONError) -> String {
        guard let text = String(validating: slice, as: UTF8.self) else {
            throw JSONError(reason: .invalidUTF8, offset: offset)
        }
        return text
    }

    private mutating func escapedString(from start: Int) throws(JSONError) -> String {
        var content = Array(bytes[start..<position])
        while true {
            guard let byte = current else { throw error(.unexpectedEnd) }
            switch byte {
            case UInt8(ascii: "\""):
                let text = try validated(content, at: start)
                position += 1
                return text
            case UInt8(ascii: "\\"):
                position += 1
                content.append(contentsOf: try escape())
            case 0..<0x20:
                throw error(.unexpectedByte)
            default:
                content.append(byte)
                position += 1
            }
        }
    }

    private mutating func escape() throws(JSONError) -> [UInt8] {
        guard let byte = current else { throw error(.unexpectedEnd) }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw JSONError(reason: .unexpectedByte, offset: position - 1)
        }
    }

    private mutating func unicodeEscape() throws(JSONError) -> [UInt8] {
        let start = position - 2
        var scalar = UInt32(try fourHexDigits())
        if (0xD800..<0xDC00).contains(scalar) {
            guard current == UInt8(ascii: "\\"), position + 1 < bytes.count,
                bytes[position + 1] == UInt8(ascii: "u")
            else { throw JSONError(reason: .loneSurrogate, offset: start) }
            position += 2
            let low = UInt32(try fourHexDigits())
            guard (0xDC00..<0xE000).contains(low) else {
                throw JSONError(reason: .loneSurrogate, offset: start)
            }
            scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let unicode = Unicode.Scalar(scalar) else {
            throw JSONError(reason: .loneSurrogate, offset: start)
        }
        return Array(String(Character(unicode)).utf8)
    }

    private mutating func fourHexDigits() throws(JSONError) -> UInt16 {
        guard position + 4 <= bytes.count else { throw error(.unexpectedEnd) }
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(bytes[position])).hexDigitValue,
                bytes[position] < 0x80
            else { throw error(.unexpectedByte) }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }
}

/// Where and why a document is not JSON. Its sender has to correct it; the same bytes always fail again.
package struct JSONError: Error, Hashable, Sendable {
    /// What is wrong at ``offset``.
    package enum Reason: Hashable, Sendable {
        case unexpectedEnd
        case unexpectedByte
        case trailingContent
        case tooDeep
        case repeatedKey(String)
        case invalidUTF8
        case loneSurrogate
        case numberTooLarge
    }

    /// The first fault; nothing after it was read.
    package let reason: Reason
    /// Bytes from the start of the document.
    package let offset: Int

    /// Makes an error; `offset` is bytes from 0.
    package init(reason: Reason, offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

extension JSONError: CustomStringConvertible {
    /// Text for a person, for example `the JSON ends too early, at byte 12`.
    package var description: String {
        let message =
            switch reason {
            case .unexpectedEnd: "the JSON ends too early"
            case .unexpectedByte: "not JSON"
            case .trailingContent: "something follows the JSON document"
            case .tooDeep: "the JSON is nested more than \(JSONParser.maximumDepth) levels deep"
            case .repeatedKey(let key): "the key \"\(key)\" stands twice in one object"
            case .invalidUTF8: "the text is not UTF-8"
            case .loneSurrogate: "a \\u escape is half a character"
            case .numberTooLarge: "a number is too large"
            }
        return "\(message), at byte \(offset)"
    }
}
