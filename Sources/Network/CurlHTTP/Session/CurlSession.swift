internal import CLibcurl
internal import Dispatch
internal import Synchronization
package import Base
package import LinuxRuntime
package import OfflineCore

/// Sends HTTP requests through libcurl: one multi handle on one event loop, any number of requests at a time.
///
/// - TLS certificates are always verified; there is no switch to turn it off.
/// - HTTP/1.1 only, no redirect is followed, no proxy of the environment is used: requests use the same path
///   as the probes.
/// - Connections are kept and used again, up to a cap.
/// - An idle session does not wake up.
///
/// A cancelled task ends its request. The session ends with ``close()`` or when the last reference goes;
/// requests that run then end as ``TransferFailure/sessionClosed``.
package final class CurlSession: HTTPSession {
    private let curl: CurlLoop
    private let loop: EventLoop
    /// Nil on somebody else's loop.
    private let thread: EventLoopThread?
    private let isCutOff = Atomic(false)

    /// - Parameter loop: what the session runs on; by default a loop and a thread of its own.
    /// - Throws: ``CurlSessionError`` when libcurl or the system has no room for a session; nothing was
    ///   started.
    package init(
        configuration: CurlSessionConfiguration = .init(), loop: EventLoop? = nil
    ) throws(CurlSessionError) {
        if let loop {
            self.loop = loop
            thread = nil
        } else {
            do throws(EventLoopError) {
                let own = try EventLoopThread(named: configuration.threadName)
                self.loop = own.loop
                thread = own
            } catch {
                throw .noLoop(code: error.code)
            }
        }
        curl = try CurlLoop(configuration: configuration, loop: self.loop)
    }

    deinit {
        // The closure keeps the thread alive, since releasing it ends the loop.
        curl.shutDown { [thread] in withExtendedLifetime(thread) {} }
    }

    /// Sends `request` and waits for its end. Never throws: a failure is a value of the exchange.
    ///
    /// - Parameters:
    ///   - onStall: called at most once, on the session's loop, when for the configured time no byte of a
    ///     response came and no other byte moved on the open connection. The request continues.
    ///   - onMove: called there when bytes have moved for that time, since the moment that it gets.
    package func send(
        _ request: HTTPRequest, onStall: (@Sendable (_ startedAt: Instant) -> Void)?,
        onMove: (@Sendable (_ since: Instant) -> Void)?
    ) async -> HTTPExchange {
        let now = LinuxSystemTime().now()
        guard !isCutOff.load(ordering: .acquiring) else {
            return HTTPExchange(
                result: .failure(.cancelled), timings: HTTPTimings(startedAt: now, finishedAt: now))
        }
        let transfer = CurlTransfer(request: request, startedAt: now, onStall: onStall, onMove: onMove)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                curl.submit(transfer) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            curl.cancel(transfer)
        }
    }

    /// While on, nothing is sent: each request ends at once as ``TransferFailure/cancelled``, which is no
    /// evidence of anything. Requests that run are left alone. For drills.
    package func setCutOff(_ isOn: Bool) {
        isCutOff.store(isOn, ordering: .releasing)
    }

    /// Stops later requests from using connections that are open now, as after a change of the path.
    ///
    /// Requests that run are left alone.
    package func forgetConnections() {
        curl.forgetConnections()
    }

    /// Opens connections with segments that every path carries, or with full ones again; connections that are
    /// open now are not used by later requests.
    ///
    /// Nothing happens where they are so already. Requests that run are left alone.
    package func useSmallSegments(_ areUsed: Bool) {
        curl.use(areUsed ? .small : .full)
    }

    /// Sends over another path from now on; connections that are open now are not used by later requests.
    ///
    /// Nothing happens where it is in use already. Requests that run are left alone.
    package func use(_ binding: PathBinding) { curl.use(binding) }

    /// Ends every request, and the thread if it is the session's; returns when they are gone. Safe to call
    /// twice. Somebody else's loop has to be running.
    package func close() {
        let isOver = DispatchSemaphore(value: 0)
        if curl.shutDown(ended: { isOver.signal() }), !loop.isCurrent { isOver.wait() }
        thread?.end()
    }
}
