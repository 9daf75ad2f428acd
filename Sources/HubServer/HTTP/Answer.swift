internal import HTTPTypes
internal import HubProtocol
internal import Hummingbird
internal import NIOCore

/// What a route answers.
struct Answer: Sendable {
    var status: Int
    var headers: [(name: String, value: String)] = []
    var contentType: String?
    var body: [UInt8] = []

    static func json(_ value: JSONValue, status: Int = 200) -> Answer {
        Answer(status: status, contentType: "application/json", body: value.canonicalBytes)
    }

    static func problem(_ problem: Problem) -> Answer {
        var answer = Answer(
            status: problem.status, contentType: Problem.contentType, body: problem.json.canonicalBytes)
        let isPassing =
            problem.status == 503 || problem.status == 429
            || [.idempotencyInProgress, .pinLocked].contains(problem.code)
        if isPassing { answer = answer.with(HeaderNames.retryAfter, String(seconds(until: problem))) }
        if problem.status == 401 { answer = answer.with("WWW-Authenticate", "Bearer") }
        if problem.status == 426 {
            // RFC 9110, section 15.5.22: the answer names what has to be spoken instead.
            let minimum = problem.extensions["minimumSchema"]?.integer ?? Schema.minimum
            answer = answer.with("Upgrade", "pos-schema/\(minimum)").with("Connection", "Upgrade")
        }
        return answer
    }

    /// Whole seconds, rounded up, until what a problem asks for may be tried again.
    private static func seconds(until problem: Problem) -> Int64 {
        let wait = problem.extensions["retryAfterMs"]?.integer ?? 1000
        return max(1, (wait + 999) / 1000)
    }

    func with(_ name: String, _ value: String) -> Answer {
        var answer = self
        answer.headers.append((name, value))
        return answer
    }

    /// The answer as the server writes it.
    ///
    /// - Parameter closing: the connection to close behind it, since its request was not read to the end.
    func response(closing channel: (any Channel)?) -> Response {
        var fields = HTTPFields()
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        if let contentType { fields[.contentType] = contentType }
        let buffer = ByteBuffer(bytes: body)
        guard let channel else {
            return Response(
                status: .init(code: status), headers: fields, body: .init(byteBuffer: buffer))
        }
        fields[.connection] = "close"
        let closing = ResponseBody(contentLength: buffer.readableBytes) { writer in
            try await writer.write(buffer)
            try await writer.finish(nil)
            try await channel.close()
        }
        return Response(status: .init(code: status), headers: fields, body: closing)
    }
}
