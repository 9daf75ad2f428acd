/// The settings of every request of a session.
package struct CurlSessionConfiguration: Hashable, Sendable {
    /// Certificates to trust, a PEM file, instead of the system's. Default nil: the system's.
    package var caFile: String?
    /// Sent as `User-Agent`. Default `pos`.
    package var userAgent: String
    /// How many idle connections are kept. Default 8.
    package var keptConnections: Int
    /// How long a connection may be open without a byte of a response, and without another byte that moves,
    /// before it counts as stalled. Default 3 s.
    package var stallAfter: Duration
    /// What `top -H` and debuggers call the session's own thread, at most 15 bytes. Default `curl-session`.
    package var threadName: String

    /// Every setting has its default; a file that does not exist fails the requests, not this initializer.
    package init(
        caFile: String? = nil, userAgent: String = "pos", keptConnections: Int = 8,
        stallAfter: Duration = .seconds(3), threadName: String = "curl-session"
    ) {
        self.caFile = caFile
        self.userAgent = userAgent
        self.keptConnections = keptConnections
        self.stallAfter = stallAfter
        self.threadName = threadName
    }
}

/// Why no session could be started. Free memory or descriptors and start again.
package enum CurlSessionError: Error, Equatable, Sendable {
    /// libcurl could not be set up.
    case libraryUnavailable
    /// The system gave no loop or no thread; `code` is the errno.
    case noLoop(code: Int32)
}
