import Foundation
import Glibc

/// An HTTP server for tests that responds as scripted and misbehaves on command: it stalls, cuts, resets
/// and talks garbage. On a free port of 127.0.0.1 or on a Unix-domain socket; one thread a connection.
package final class ScriptedServer: @unchecked Sendable {
    // Everything that changes is guarded by `condition`.
    private let condition = NSCondition()
    private let listener: Int32
    private let unixPath: String?
    private var scripts: [String: [ScriptedResponse]] = [:]
    private var handler: (@Sendable (ScriptedRequest) -> ScriptedResponse?)?
    private var received: [ScriptedRequest] = []
    private var open: Set<Int32> = []
    private var connections = 0
    private var segments: [Int32] = []
    private var isStopped = false

    /// 0 on a Unix-domain socket.
    package let port: UInt16

    /// - Parameter unixPath: listens there instead of on TCP.
    package init(unixPath: String? = nil) throws {
        self.unixPath = unixPath
        listener = try ListeningSocket.open(unixPath: unixPath)
        port = ListeningSocket.port(of: listener)
        Thread.detachNewThread { self.acceptAll() }
    }

    deinit { stop() }

    package var url: String { "http://127.0.0.1:\(port)" }

    /// What requests of `path` (without its query) get: one response after the other, the last one
    /// again and again.
    /// Without a script a path gets 404.
    package func on(_ path: String, _ responses: ScriptedResponse...) {
        condition.withLock { scripts[path] = responses }
    }

    /// What decides on each request before the scripts do; nil from it leaves the request to them.
    package func handle(_ handler: @escaping @Sendable (ScriptedRequest) -> ScriptedResponse?) {
        condition.withLock { self.handler = handler }
    }

    /// The requests so far, in the order in which they were read.
    package var requests: [ScriptedRequest] { condition.withLock { received } }

    /// How many connections were accepted.
    package var connectionCount: Int { condition.withLock { connections } }

    /// The largest segment of each accepted connection when it was accepted, in bytes.
    package var acceptedSegments: [Int32] { condition.withLock { segments } }

    /// How many connections are open.
    package var openConnectionCount: Int { condition.withLock { open.count } }

    /// Waits until `count` requests were read; false after `seconds`.
    package func waitForRequests(_ count: Int, seconds: Double = 10) async -> Bool {
        await waits(seconds: seconds) { self.requests.count >= count }
    }

    /// Waits until at most `count` connections are open; false after `seconds`.
    package func waitForConnections(atMost count: Int, seconds: Double = 10) async -> Bool {
        await waits(seconds: seconds) { self.openConnectionCount <= count }
    }

    /// Closes the listener and every connection.
    package func stop() {
        condition.withLock {
            guard !isStopped else { return }
            isStopped = true
            for connection in open { shutdown(connection, Int32(SHUT_RDWR)) }
            shutdown(listener, Int32(SHUT_RDWR))
            condition.broadcast()
        }
        if let unixPath { unlink(unixPath) }
    }

    /// Looks again and again, so that no cooperative thread is blocked meanwhile.
    private func waits(seconds: Double, until isTrue: () -> Bool) async -> Bool {
        let limit = ContinuousClock.now + .seconds(seconds)
        while !isTrue() {
            guard ContinuousClock.now < limit else { return false }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return true
    }

    /// On a connection's own thread.
    private func wait(seconds: Double, until isTrue: () -> Bool) -> Bool {
        let limit = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while !isTrue() {
            if Date() >= limit { return false }
            // In slices, since nothing reports that a client has gone.
            _ = condition.wait(until: min(limit, Date(timeIntervalSinceNow: 0.02)))
        }
        return true
    }

    private func acceptAll() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                break
            }
            var (segment, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
            getsockopt(connection, Int32(IPPROTO_TCP), TCP_MAXSEG, &segment, &length)
            let number = condition.withLock { () -> Int in
                connections += 1
                segments.append(segment)
                open.insert(connection)
                return connections
            }
            Thread.detachNewThread { self.serve(connection, number: number) }
        }
        close(listener)
    }

    private func serve(_ connection: Int32, number: Int) {
        var reader = RequestReader(connection: connection, number: number)
        while let request = reader.next() {
            let handler = condition.withLock {
                received.append(request)
                condition.broadcast()
                return self.handler
            }
            let response = handler?(request) ?? condition.withLock { nextResponse(to: request.path) }
            guard perform(response, on: connection) else { break }
        }
        condition.withLock {
            open.remove(connection)
            condition.broadcast()
        }
        close(connection)
    }

    private func nextResponse(to path: String) -> ScriptedResponse {
        let key = String(path.prefix { $0 != "?" })
        guard var responses = scripts[key], let response = responses.first else { return .json(404, "{}") }
        if responses.count > 1 {
            responses.removeFirst()
            scripts[key] = responses
        }
        return response
    }

    /// Whether the connection goes on.
    private func perform(_ response: ScriptedResponse, on connection: Int32) -> Bool {
        for step in response.steps {
            switch step {
            case .send(let bytes):
                guard write(bytes, to: connection) else { return false }
            case .pause(let seconds):
                if wait(seconds: seconds, until: { self.isStopped }) { return false }
            case .stall:
                _ = wait(seconds: 60) { self.isStopped || Self.isGone(connection) }
                return false
            case .close:
                return false
            case .reset:
                var atOnce = linger(l_onoff: 1, l_linger: 0)
                setsockopt(connection, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
                return false
            case .run(let body):
                body()
            }
        }
        return true
    }

    /// Whether the client has closed or reset its end.
    private static func isGone(_ connection: Int32) -> Bool {
        var watched = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        guard poll(&watched, 1, 0) > 0 else { return false }
        var byte: UInt8 = 0
        return recv(connection, &byte, 1, Int32(MSG_PEEK)) <= 0
    }

    private func write(_ bytes: [UInt8], to connection: Int32) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            offset += count
        }
        return true
    }
}
