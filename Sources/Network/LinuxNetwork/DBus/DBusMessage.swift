/// One message of D-Bus, as far as a caller with simple arguments needs it
/// (D-Bus Specification 0.43, "Message Format").
struct DBusMessage: Hashable, Sendable {
    enum Kind: UInt8, Hashable, Sendable {
        case methodCall = 1
        case methodReturn = 2
        case error = 3
        case signal = 4
    }

    let kind: Kind
    /// The serial of the call to which this is the reply; nil in calls and signals.
    var replySerial: UInt32?
    /// The value of a reply's one argument, if it is a text, a path, a number or a variant of these.
    var value: Value?

    enum Value: Hashable, Sendable {
        case text(String)
        case number(UInt32)
    }

    /// No message is longer: the replies that the till needs are much smaller.
    static let limit = 1 << 16

    /// The bytes of a method call with text arguments. It never starts the service it is for.
    static func call(
        serial: UInt32, to destination: String, path: String, interface: String, member: String,
        _ arguments: [String]
    ) -> [UInt8] {
        var body = DBusWriter()
        for argument in arguments { body.put(string: argument) }
        var writer = DBusWriter()
        writer.put(byte: UInt8(ascii: "l"))
        writer.put(byte: Kind.methodCall.rawValue)
        // NO_AUTO_START: a till queries a running NetworkManager and never starts it.
        writer.put(byte: 2)
        writer.put(byte: 1)
        writer.put(UInt32(body.bytes.count))
        writer.put(serial)
        writer.put(arrayAlignedTo: 8) { fields in
            fields.put(field: 1, "o") { $0.put(string: path) }
            fields.put(field: 2, "s") { $0.put(string: interface) }
            fields.put(field: 3, "s") { $0.put(string: member) }
            fields.put(field: 6, "s") { $0.put(string: destination) }
            guard !arguments.isEmpty else { return }
            let signature = String(repeating: "s", count: arguments.count)
            fields.put(field: 8, "g") { $0.put(signature: signature) }
        }
        writer.align(to: 8)
        return writer.bytes + body.bytes
    }

    /// Removes the first complete message from `bytes`.
    ///
    /// - Returns: nil while it is incomplete.
    /// - Throws: ``DBusError/malformed`` for bytes that are no message of this protocol.
    static func take(from bytes: inout [UInt8]) throws(DBusError) -> DBusMessage? {
        guard bytes.count >= 16 else { return nil }
        guard bytes[0] == UInt8(ascii: "l") || bytes[0] == UInt8(ascii: "B"), bytes[3] == 1 else {
            throw .malformed
        }
        var reader = DBusReader(bytes[...], isBigEndian: bytes[0] == UInt8(ascii: "B"))
        for _ in 0..<4 { _ = reader.byte() }
        guard let bodyLength = reader.uint32(), reader.uint32() != nil, let fieldsLength = reader.uint32(),
            bodyLength <= limit, fieldsLength <= limit
        else { throw .malformed }
        let bodyStart = (16 + Int(fieldsLength) + 7) / 8 * 8
        let end = bodyStart + Int(bodyLength)
        guard bytes.count >= end else { return nil }
        let message = try DBusMessage(
            Array(bytes[..<end]), bodyStart: bodyStart, fieldsLength: Int(fieldsLength))
        bytes.removeFirst(end)
        return message
    }

    /// Reads a complete message.
    private init(_ bytes: [UInt8], bodyStart: Int, fieldsLength: Int) throws(DBusError) {
        let isBigEndian = bytes[0] == UInt8(ascii: "B")
        // Kinds that later versions may add must be ignored, so they count as signals.
        kind = Kind(rawValue: bytes[1]) ?? .signal
        var fields = DBusReader(bytes[..<(16 + fieldsLength)], isBigEndian: isBigEndian)
        while fields.position < 16 { _ = fields.byte() }
        var signature = ""
        while fields.position < 16 + fieldsLength {
            fields.align(to: 8)
            guard let code = fields.byte(), let type = fields.signature() else { throw .malformed }
            switch (code, type) {
            case (5, "u"):
                guard let serial = fields.uint32() else { throw .malformed }
                replySerial = serial
            case (8, "g"):
                guard let text = fields.signature() else { throw .malformed }
                signature = text
            case (_, "s"), (_, "o"):
                guard fields.string() != nil else { throw .malformed }
            case (_, "u"):
                guard fields.uint32() != nil else { throw .malformed }
            case (_, "g"):
                guard fields.signature() != nil else { throw .malformed }
            case (_, _): throw .malformed
            }
        }
        var body = DBusReader(bytes[bodyStart...], isBigEndian: isBigEndian)
        value = Self.value(signature, &body)
    }

    private static func value(_ signature: String, _ body: inout DBusReader) -> Value? {
        switch signature {
        case "s", "o": body.string().map(Value.text)
        case "u": body.uint32().map(Value.number)
        case "v": body.signature().flatMap { $0 == "v" ? nil : value($0, &body) }
        case _: nil
        }
    }
}

extension DBusWriter {
    /// A header field: its code, then its value as a variant of `type`.
    fileprivate mutating func put(field code: UInt8, _ type: String, write: (inout DBusWriter) -> Void) {
        align(to: 8)
        put(byte: code)
        put(signature: type)
        write(&self)
    }
}

/// Why a call of a bus failed. The connection is closed; the next one starts from the beginning.
enum DBusError: Error, Hashable, Sendable {
    /// No socket, nobody behind it, or it was closed; the errno.
    case disconnected(Int32)
    /// The bus does not accept this user.
    case refused
    /// No reply in time.
    case silent
    /// The received bytes are not this protocol.
    case malformed
}
