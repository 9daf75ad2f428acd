import CurlTransport
import Synchronization

/// One libcurl session for all monitors that trust the same certificates; it goes with the last of them.
enum SharedSessions {
    private struct Weak {
        weak var session: CurlSession?
    }

    private static let sessions = Mutex<[String: Weak]>([:])

    /// Nil when the system has no room for one; try again later.
    static func session(caFile: String?) -> CurlSession? {
        sessions.withLock { sessions in
            let key = caFile ?? ""
            if let session = sessions[key]?.session { return session }
            let configuration = CurlSessionConfiguration(
                caFile: caFile, userAgent: "Reachability/1", keptConnections: 1, threadName: "reachability")
            let session = try? CurlSession(configuration: configuration)
            sessions[key] = Weak(session: session)
            return session
        }
    }
}
