import CurlHTTP
import LinuxRuntime
import Synchronization

/// One thread with one libcurl session for all monitors that trust the same certificates; it ends with the
/// last of them.
final class SharedTransport: Sendable {
    private struct Weak {
        weak var transport: SharedTransport?
    }

    private static let all = Mutex<[String: Weak]>([:])

    let session: CurlSession
    private let thread: EventLoopThread

    var loop: EventLoop { thread.loop }

    private init?(caFile: String?) {
        guard let thread = try? EventLoopThread(named: "reachability") else { return nil }
        let configuration = CurlSessionConfiguration(
            caFile: caFile, userAgent: "Reachability/1", keptConnections: 1)
        guard let session = try? CurlSession(configuration: configuration, loop: thread.loop) else {
            return nil
        }
        (self.session, self.thread) = (session, thread)
    }

    deinit {
        session.close()
        thread.end()
    }

    /// Nil when the system has no resources for one; try again with the next watch.
    static func take(caFile: String?) -> SharedTransport? {
        all.withLock { all in
            let key = caFile ?? ""
            if let transport = all[key]?.transport { return transport }
            let transport = SharedTransport(caFile: caFile)
            all[key] = Weak(transport: transport)
            return transport
        }
    }
}
