internal import CLibcurl
public import OfflineCore

/// Sends HTTP requests through libcurl: one thread, one multi handle, any number of requests at a time.
///
/// - TLS certificates are always verified; there is no switch to turn it off.
/// - HTTP/1.1 only, no redirect is followed, no proxy of the environment is used: the way that is watched is
///   the way that is taken.
/// - Connections are kept and used again, up to a cap.
/// - An idle session sleeps without waking up.
///
/// A cancelled task takes its request off the wire. The session ends with ``close()`` or when the last
/// reference goes; requests that run then end as ``TransferFailure/sessionClosed``.
public final class CurlSession: Sendable {
    private let loop: CurlLoop

    /// Starts the session's thread.
    ///
    /// - Throws: ``CurlSessionError`` when libcurl or the system has no room for one; nothing was started.
    public init(configuration: CurlSessionConfiguration = .init()) throws(CurlSessionError) {
        loop = try CurlLoop(configuration: configuration)
        try loop.start()
    }

    deinit {
        loop.shutDown(waiting: false)
    }

    /// Sends `request` and waits for its end. Never throws: a failure is a value of the exchange.
    ///
    /// - Parameter onStall: called at most once, on the session's thread, when the connection has stood for
    ///   the configured time without a byte of an answer. The request goes on.
    public func send(
        _ request: HTTPRequest, onStall: (@Sendable (_ startedAt: Instant) -> Void)? = nil
    ) async -> HTTPExchange {
        let transfer = CurlTransfer(request: request, startedAt: MonotonicClock.now(), onStall: onStall)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.submit(transfer) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            loop.cancel(transfer)
        }
    }

    /// Stops later requests from using connections that stand now, as after a change of the path.
    ///
    /// Requests that run are left alone.
    public func forgetConnections() {
        loop.forgetConnections()
    }

    /// Ends every request and the thread; returns when both are gone. Safe to call twice.
    public func close() {
        loop.shutDown(waiting: true)
    }
}
