package import CurlHTTP
import Base
internal import HubProtocol
package import OfflineCore

/// One call of the contract, before the standard headers are added.
package struct HubCall: Sendable {
    /// What it counts as.
    package let api: APIRoute
    /// Its raw value and the template make ``api``.
    package let method: HTTPRequest.Method
    /// From the first slash on, query included, percent-encoded.
    package let path: String
    /// Added after the standard headers of docs/reference/http.md, section 1.
    package var headers: [HTTPHeader]
    /// Nil for none.
    package var body: [UInt8]?
    /// Of the body. Default `application/json`.
    package var contentType = "application/json"
    /// Whether the device token goes with it. Default true.
    package var isAuthorized: Bool
    /// Nil: ``HubClientConfiguration/requestTimeout``.
    package var timeout: Duration?
    /// The longest response that is accepted, in bytes. Default 1 MiB.
    package var maximumBodyBytes: Int
    /// The journal entries that it sends, by their ids; empty for other calls.
    var entries: [String] = []
    /// Keeps of the response what ``ChangeOutline`` keeps. Default false.
    var keepsOutline = false
    /// Whether it goes on past its time while its bytes move: what it sends cannot be made smaller. Default
    /// false.
    var goesOnWhileMoving = false
    /// The segments of a connection of its own; nil: it uses the session's connections. Default nil.
    var ownSegments: TCPSegments?
    /// How many times its time a call may take while its bytes move. At 32 kbit/s and 10 s that is 240 kB,
    /// a sale of 1,600 lines. Halved, one of 300 lines is not sent over 8 kbit/s; doubled, a line that
    /// loses what it carries is found out two minutes later.
    private static let movingFactor = 6

    /// `path` is `template` by default, and must be given where the template has parts in braces.
    package init(
        _ method: HTTPRequest.Method, template: String, path: String? = nil, headers: [HTTPHeader] = [],
        body: [UInt8]? = nil, isAuthorized: Bool = true, timeout: Duration? = nil,
        maximumBodyBytes: Int = 1 << 20
    ) {
        api = APIRoute(method: method.rawValue, template: template)
        self.method = method
        self.path = path ?? template
        self.headers = headers
        self.body = body
        self.isAuthorized = isAuthorized
        self.timeout = timeout
        self.maximumBodyBytes = maximumBodyBytes
    }

    func request(
        base: ServerURL, token: String?, timeout fallback: Duration, trace: RequestTrace? = nil
    ) -> HTTPRequest {
        var all = [
            HTTPHeader("Accept", "application/json, application/problem+json"),
            HTTPHeader(HeaderNames.schema, String(Schema.current)),
        ]
        if let trace {
            all.append(HTTPHeader(HeaderNames.request, trace.request))
            all.append(HTTPHeader(HeaderNames.traceParent, trace.parent))
        }
        if body != nil { all.append(HTTPHeader("Content-Type", contentType)) }
        if let token { all.append(HTTPHeader("Authorization", "Bearer \(token)")) }
        var request = HTTPRequest(
            method: method, url: base.base + path, headers: all + headers, body: body,
            timeout: timeout ?? fallback, maximumBodyBytes: maximumBodyBytes)
        if keepsOutline { request.outline = { ChangeOutline() } }
        if goesOnWhileMoving { request.longestWhileMoving = request.timeout * Self.movingFactor }
        if let ownSegments {
            request.segments = ownSegments
            request.usesFreshConnection = true
        }
        return request
    }
}

extension String {
    /// Every byte but the unreserved ones of RFC 3986 as `%XX`, for one segment of a path or a value of a
    /// query.
    var percentEncoded: String {
        let digits = Array("0123456789ABCDEF".utf8)
        var output: [UInt8] = []
        for byte in utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: output.append(byte)
            default: output += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
