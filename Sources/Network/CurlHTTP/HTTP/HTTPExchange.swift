package import Base
package import OfflineCore

/// How one request ended, and when its steps were passed.
package struct HTTPExchange: Hashable, Sendable {
    /// A response of any status is a success; a failure means that none arrived completely.
    package let result: Result<HTTPResponse, TransferFailure>
    /// Present after a failure, too.
    package let timings: HTTPTimings

    /// The end of one request, with or without a response.
    package init(result: Result<HTTPResponse, TransferFailure>, timings: HTTPTimings) {
        self.result = result
        self.timings = timings
    }
}

/// Moments of one exchange on CLOCK_MONOTONIC.
package struct HTTPTimings: Hashable, Sendable {
    /// The request was handed to the session.
    package var startedAt: Instant
    /// The connection was ready, TLS included, or an idle one was reused; nil when neither happened.
    package var connectedAt: Instant?
    /// The first byte of the response arrived; nil when none did.
    package var firstByteAt: Instant?
    /// The last byte of the response arrived, or the exchange failed.
    package var finishedAt: Instant
    /// Whether an idle connection was reused.
    package var reusedConnection: Bool
    /// When the server's certificate ends, as libcurl writes it; nil where it was not requested.
    package var certificateEnd: String?

    /// By default there was neither a connection nor a byte of a response.
    package init(
        startedAt: Instant, connectedAt: Instant? = nil, firstByteAt: Instant? = nil, finishedAt: Instant,
        reusedConnection: Bool = false
    ) {
        self.startedAt = startedAt
        self.connectedAt = connectedAt
        self.firstByteAt = firstByteAt
        self.finishedAt = finishedAt
        self.reusedConnection = reusedConnection
    }
}

/// One HTTP/1.1 request as a value.
package struct HTTPRequest: Sendable {
    /// The methods that the contract uses; the raw value is sent.
    package enum Method: String, Hashable, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    /// Default `GET`.
    package var method: Method
    /// Absolute, `http` or `https`.
    package var url: String
    /// Sent in this order. A name or value with a line break makes the request
    /// ``TransferFailure/notSendable``.
    package var headers: [HTTPHeader]
    /// Nil sends no body; an empty array sends one of length 0.
    package var body: [UInt8]?
    /// For the complete exchange, from the submission to the session on, on the monotonic clock. Default 10
    /// s.
    package var timeout: Duration
    /// How long the exchange may take while bytes of it still move; nil: no longer than ``timeout``. Default
    /// nil.
    package var longestWhileMoving: Duration?
    /// For the name, the connection and the TLS handshake. Default 5 s.
    package var connectTimeout: Duration
    /// The longest response body that is accepted, in bytes. Default 1 MiB.
    package var maximumBodyBytes: Int
    /// What is kept of a response's body in place of all of it; nil keeps all. Default nil.
    package var outline: (@Sendable () -> any BodyOutline)?
    /// Reads the end of the server's certificate into ``HTTPTimings/certificateEnd``. Default false.
    package var readsCertificate = false
    /// Opens a connection of its own and closes it afterwards, as probes do. Default false.
    package var usesFreshConnection: Bool
    /// The segments of a connection that is opened for this request; nil: those of the session. Default nil.
    package var segments: TCPSegments?
    /// The way out of a connection that is opened for this request; nil: that of the session. Default nil.
    package var binding: PathBinding?
    /// Connects to this Unix-domain socket instead of the URL's host. Default nil.
    package var unixSocketPath: String?
    /// Connects there in place of the URL's host and port; the certificate still has to be the URL's host's.
    /// Default nil.
    package var place: Place?
    /// Which addresses a new connection may have. Default all.
    package var addresses = AllowedAddresses.all

    /// Where a server is that has another name there.
    package struct Place: Hashable, Sendable {
        /// Name or address, IPv6 without brackets.
        package let host: String
        package let port: UInt16

        package init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }
    }

    /// Only the URL has no default; it is checked when the request is sent.
    package init(
        method: Method = .get, url: String, headers: [HTTPHeader] = [], body: [UInt8]? = nil,
        timeout: Duration = .seconds(10), connectTimeout: Duration = .seconds(5),
        maximumBodyBytes: Int = 1 << 20, usesFreshConnection: Bool = false, unixSocketPath: String? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.connectTimeout = connectTimeout
        self.maximumBodyBytes = maximumBodyBytes
        self.usesFreshConnection = usesFreshConnection
        self.unixSocketPath = unixSocketPath
    }
}

/// Reads a body piece by piece, and keeps less than all of it.
package protocol BodyOutline {
    /// What is kept so far.
    var bytes: [UInt8] { get }

    /// Takes the next piece of the body.
    ///
    /// - Returns: false when more would have to be kept than is allowed. The request then ends as
    ///   ``TransferFailure/responseTooLarge``.
    mutating func take(_ piece: UnsafeRawBufferPointer) -> Bool
}

/// The addresses that a request may be sent to. Another one is not connected to, whatever name has it.
package enum AllowedAddresses: Int32, Hashable, Sendable {
    case all = 0
    /// None of the link alone, where cloud machines give out their credentials.
    case notOfLink = 1
    /// This machine's.
    case loopback = 2
}

/// How much of the stream one packet of a connection may carry, in both directions.
package enum TCPSegments: Hashable, Sendable {
    /// As the system finds it, by the interface and by what the path reports of itself.
    case full
    /// So little that every path carries it.
    case small

    /// In bytes, headers not counted; 0: the system's choice.
    ///
    /// Small is TCP's own default (RFC 9293, section 3.7.1): packets of 576 bytes, which every IPv4 host
    /// and every tunnel of today carries. Doubled, a packet still fits into the 1,280 bytes that IPv6
    /// requires, and paths below them stay dark; halved, headers are a fifth of the traffic for no path
    /// that is known.
    var bytes: Int32 {
        switch self {
        case .full: 0
        case .small: 536
        }
    }
}

/// One header field.
package struct HTTPHeader: Hashable, Sendable {
    /// Sent in this spelling; ``HTTPResponse/header(_:)`` ignores the case of letters.
    package let name: String
    /// Sent as it is.
    package let value: String

    /// Neither argument is checked before the request is sent.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A token of a header stands in no text.
extension HTTPHeader: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private static let secret = "authorization"

    /// `name: value`, with `…` in the place of a token.
    package var description: String {
        "\(name): \(name.lowercased() == Self.secret ? "…" : value)"
    }
    /// As ``description``.
    package var debugDescription: String { description }
    /// Without children.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// A complete response, of whatever server.
package struct HTTPResponse: Hashable, Sendable {
    /// The number of the status line, also of redirects, which are not followed.
    package let status: Int
    /// In the order received.
    package let headers: [HTTPHeader]
    /// Complete, at most ``HTTPRequest/maximumBodyBytes``; empty where the response has none.
    package let body: [UInt8]

    /// A response without headers and body by default.
    package init(status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first header called `name`, in any case of letters.
    package func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name.lowercased() == wanted }?.value
    }
}
