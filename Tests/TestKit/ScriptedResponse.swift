/// What a ``ScriptedServer`` does with one request.
package struct ScriptedResponse: Sendable {
    package enum Step: Sendable {
        case send([UInt8])
        /// Seconds without a byte.
        case pause(Double)
        /// Sends nothing more until the server is stopped.
        case stall
        /// Closes the connection in order.
        case close
        /// Closes it with a reset.
        case reset
        /// Calls the test, on the connection's own thread.
        case run(@Sendable () -> Void)
    }

    package let steps: [Step]

    package init(_ steps: [Step]) {
        self.steps = steps
    }

    /// A complete response; the connection is kept.
    package static func whole(
        _ status: Int, type: String?, headers: [String: String] = [:], body: String
    ) -> ScriptedResponse {
        ScriptedResponse([.send(bytes(status, type: type, headers: headers, body: body))])
    }

    package static func json(_ status: Int, _ body: String, headers: [String: String] = [:])
        -> ScriptedResponse
    {
        whole(status, type: "application/json", headers: headers, body: body)
    }

    package static func problem(
        _ status: Int, code: String, members: String = "", headers: [String: String] = [:]
    ) -> ScriptedResponse {
        let more = members.isEmpty ? "" : "," + members
        return whole(
            status, type: "application/problem+json", headers: headers,
            body: #"{"type":"urn:pos:problem:\#(code)","title":"\#(code)","status":\#(status),"#
                + #""detail":"","code":"\#(code)"\#(more)}"#)
    }

    /// A login page, as captive portals send for everything.
    package static let loginPage = whole(
        200, type: "text/html; charset=utf-8", body: "<!DOCTYPE html><html><body>Sign in</body></html>")

    /// The first `count` bytes of a JSON response, then an orderly end.
    package static func cut(_ status: Int, _ body: String, after count: Int) -> ScriptedResponse {
        let all = bytes(status, type: "application/json", headers: [:], body: body)
        return ScriptedResponse([.send(Array(all.prefix(count))), .close])
    }

    package static let stall = ScriptedResponse([.stall])
    package static let reset = ScriptedResponse([.reset])
    package static let close = ScriptedResponse([.close])

    /// The bytes of an HTTP/1.1 response.
    package static func bytes(
        _ status: Int, type: String?, headers: [String: String], body: String
    ) -> [UInt8] {
        var text = "HTTP/1.1 \(status) Scripted\r\n"
        if let type { text += "Content-Type: \(type)\r\n" }
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if status != 204, status != 304 { text += "Content-Length: \(body.utf8.count)\r\n" }
        return Array((text + "\r\n" + body).utf8)
    }
}

/// One request as a ``ScriptedServer`` read it.
package struct ScriptedRequest: Sendable {
    package let method: String
    /// With its query.
    package let path: String
    /// By lower-case name.
    package let headers: [String: String]
    package let body: [UInt8]
    /// Which of the server's connections it came over, from 1.
    package let connection: Int

    package var text: String { String(decoding: body, as: UTF8.self) }
}
