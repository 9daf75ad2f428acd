internal import HTTPTypes
internal import HubCore
internal import HubProtocol
internal import Hummingbird
internal import Logging

/// A request as routes get it.
struct HubRequest: Sendable {
    let request: Request
    /// The values of the template's braces, percent-decoded.
    let parameters: [String: String]
    /// How long and how large a body may be.
    let limits: BodyLimits
    /// The other end of the connection.
    let peer: @Sendable () -> Peer
    /// Says that the body is read now, to a sender that waits for leave.
    let readsBody: @Sendable () -> Void
    /// Writes the request's names in front of what it logs.
    let logger: Logger
    /// The terminal that sends it; nil on routes that are open.
    var device: DeviceIdentity?
    /// Its place among the requests of that terminal; nil on routes that are open.
    var turn: TerminalTurns.Turn?
    /// The caller of an operators' route; nil on other routes.
    var operatorIdentity: OperatorIdentity?

    var path: String { request.uri.path }

    /// Whether the method changes nothing.
    var isRead: Bool { request.method == .get || request.method == .head }

    /// What the body was announced with; the most that may come where it has no length, nil without a body.
    var bodyLength: Int? {
        if let length = request.headers[.contentLength].flatMap({ Int($0) }) {
            return length > 0 ? length : nil
        }
        return request.headers[.transferEncoding] == nil ? nil : limits.maximumBytes
    }

    /// Host and port as the client wrote them.
    var authority: String? { request.head.authority }

    func header(_ name: String) -> String? {
        HTTPField.Name(name).flatMap { request.headers[$0] }
    }

    /// The query as it came; empty without one.
    var queryText: String { request.uri.query ?? "" }

    /// The names of the query's parameters, percent-decoded.
    var queryNames: [String] { request.uri.queryParameters.map { String($0.key) } }

    /// The first value of a query parameter, percent-decoded.
    func query(_ name: String) -> String? {
        request.uri.queryParameters[Substring(name)].map(String.init)
    }

    /// The key between the quotes of a structured-field string; bare is understood too. Nil without one.
    var idempotencyKey: String? {
        guard let text = header(HeaderNames.idempotencyKey) else { return nil }
        guard text.hasPrefix("\""), text.hasSuffix("\""), text.utf8.count >= 2 else { return text }
        return String(text.dropFirst().dropLast())
    }

    /// An integer header within `range`; nil when the header is missing.
    func integerHeader(_ name: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64? {
        guard let text = header(name) else { return nil }
        guard let value = Int64(text), range.contains(value) else {
            throw .malformed("The header \(name) is a whole number from \(range.lowerBound).")
        }
        return value
    }

    /// An integer header brought into `range`; nil when the header is missing.
    func clampedHeader(_ name: String, into range: ClosedRange<Int64>) throws(Problem) -> Int64? {
        guard let text = header(name) else { return nil }
        guard let value = ClampedNumber.value(of: text, in: range) else {
            throw .malformed("The header \(name) is a whole number from \(range.lowerBound).")
        }
        return value
    }

    /// The device that speaks.
    func requireDevice() throws(Problem) -> DeviceIdentity {
        guard let device else { throw .tokenInvalid }
        return device
    }

    /// A place to wait in for somebody besides this hub, for so long at most; refused where the terminal has
    /// none left, until the first of them ends.
    func requireWait(upTo longest: Duration) throws(Problem) -> TerminalTurns.Turn? {
        switch turn?.elsewhere(upTo: longest) {
        case .taken(let place)?: return place
        case .full(let wait)?: throw .rateLimited(wait)
        case nil: return nil
        }
    }

    /// The operator who calls.
    func requireOperator() throws(Problem) -> OperatorIdentity {
        guard let operatorIdentity else { throw .operatorRequired }
        return operatorIdentity
    }

    /// The whole body.
    ///
    /// - Parameter limits: others than the listener's.
    func body(_ limits: BodyLimits? = nil) async throws(Problem) -> [UInt8] {
        try await BodyReader(limits: limits ?? self.limits, begin: readsBody).bytes(of: request)
    }

    /// The body of a request as strict JSON, each of its texts within its bound.
    func json() async throws(Problem) -> JSONValue { try Self.bounded(await body()) }

    /// The same of a body that is also signed, and so read first.
    static func bounded(_ bytes: [UInt8]) throws(Problem) -> JSONValue {
        let json = try parsed(bytes)
        if let excess = TextBound.excess(in: json) { throw .malformed("In the body, \(excess).") }
        return json
    }

    /// The body of a report as strict JSON: of what has happened nothing is refused for its length alone.
    func reportedJSON() async throws(Problem) -> JSONValue {
        try Self.parsed(await body())
    }

    /// The same of a body that was read before.
    static func parsed(_ bytes: [UInt8]) throws(Problem) -> JSONValue {
        do throws(JSONError) {
            return try JSONParser.parse(bytes)
        } catch {
            throw .malformed("The body is not JSON: \(error).")
        }
    }
}

/// Whole numbers of a peer that only tune a response: what is out of range is brought into it (http.md
/// section 1), what is no number is refused.
enum ClampedNumber {
    /// The number in `text` within `range`, also where it is too large for any integer type; nil for what is
    /// no whole number.
    static func value(of text: String, in range: ClosedRange<Int64>) -> Int64? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = isNegative ? text.utf8.dropFirst() : Substring(text).utf8
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return clamped(Int64(text) ?? (isNegative ? .min : .max), into: range)
    }

    static func clamped(_ value: Int64, into range: ClosedRange<Int64>) -> Int64 {
        min(max(value, range.lowerBound), range.upperBound)
    }
}

/// Percent-encoding of RFC 3986, section 2.1.
enum PercentText {
    /// The text behind `%XX` escapes; nil when an escape is broken or the bytes are not UTF-8.
    static func decoded(_ text: String) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        var bytes: [UInt8] = []
        var rest = Substring(text).utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
