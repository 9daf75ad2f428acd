internal import HTTPTypes
internal import HubProtocol
internal import Hummingbird
internal import NIOCore

/// The response of a route.
struct HubResponse: Sendable {
    var status: Int
    var headers: [(name: String, value: String)] = []
    var contentType: String?
    var body: [UInt8] = []
    /// Writes a body that goes on as long as its reader reads it, in the place of ``body``; it gets the
    /// function that sends a part, which waits while the reader is slow.
    var stream: (@Sendable (_ write: ([UInt8]) async throws -> Void) async throws -> Void)?

    static func json(_ value: JSONValue, status: Int = 200) -> HubResponse {
        HubResponse(status: status, contentType: "application/json", body: value.canonicalBytes)
    }

    static func problem(_ problem: Problem) -> HubResponse {
        var response = HubResponse(
            status: problem.status, contentType: Problem.contentType, body: problem.json.canonicalBytes)
        let isPassing =
            problem.status == 503 || problem.status == 429
            || [.idempotencyInProgress, .pinLocked].contains(problem.code)
        if isPassing { response = response.with(HeaderNames.retryAfter, String(seconds(until: problem))) }
        if problem.status == 401 { response = response.with("WWW-Authenticate", "Bearer") }
        if problem.status == 426 {
            // RFC 9110, section 15.5.22: the response names what has to be spoken instead.
            let minimum = problem.extensions["minimumSchema"]?.integer ?? Schema.minimum
            response = response.with("Upgrade", "pos-schema/\(minimum)").with("Connection", "Upgrade")
        }
        return response
    }

    /// Whole seconds, rounded up, until the request of a problem may be tried again.
    private static func seconds(until problem: Problem) -> Int64 {
        let wait = problem.extensions["retryAfterMs"]?.integer ?? 1000
        return max(1, (wait + 999) / 1000)
    }

    func with(_ name: String, _ value: String) -> HubResponse {
        var response = self
        response.headers.append((name, value))
        return response
    }

    /// With an entity tag, so that who polls gets a body only when something changed.
    ///
    /// - Parameter name: what another body of the resource does not have; without quotation marks.
    func tagged(_ name: String, for request: HubRequest) -> HubResponse {
        let tag = "\"\(name)\""
        let isKnown = Self.matches(request.header("If-None-Match"), tag)
        return (isKnown ? HubResponse(status: 304) : self)
            .with("ETag", tag).with("Cache-Control", "private, no-cache")
    }

    /// The weak comparison of RFC 9110, section 13.1.2: a proxy that compresses makes a tag weak.
    private static func matches(_ header: String?, _ tag: String) -> Bool {
        (header ?? "").split(separator: ",").contains { element in
            let known = element.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
            return known == "*" || known == tag || known == "W/" + tag
        }
    }

    /// The response as the server writes it.
    var response: Response {
        var fields = HTTPFields()
        for (name, value) in headers {
            guard let name = HTTPField.Name(name) else { continue }
            // Of all fields only this one comes twice (RFC 6265, section 3).
            guard name == .setCookie else {
                fields[name] = value
                continue
            }
            fields.append(HTTPField(name: name, value: value))
        }
        if let contentType { fields[.contentType] = contentType }
        let body: ResponseBody =
            if let stream {
                ResponseBody { writer in
                    try await stream { try await writer.write(ByteBuffer(bytes: $0)) }
                    try await writer.finish(nil)
                }
            } else {
                ResponseBody(byteBuffer: ByteBuffer(bytes: body))
            }
        return Response(status: .init(code: status), headers: fields, body: body)
    }

    /// The response as bytes, for a connection that ends with it.
    var serialized: [UInt8] {
        var fields = headers
        if let contentType { fields.append(("Content-Type", contentType)) }
        fields += [("Content-Length", String(body.count)), ("Connection", "close")]
        let reason = HTTPResponse.Status(code: status).reasonPhrase
        let lines = ["HTTP/1.1 \(status) \(reason)"] + fields.map { "\($0.name): \($0.value)" }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }
}
