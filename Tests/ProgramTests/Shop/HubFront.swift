import Foundation
import Glibc
import TestKit

/// A server in front of the hub that reads each request, and passes it on or responds in place of the hub.
final class HubFront: @unchecked Sendable {
    /// What becomes of a request; nothing of it reaches the hub unless noted.
    enum Reply {
        /// The hub responds.
        case pass
        /// The hub responds, so much later.
        case passAfter(seconds: Double)
        case response(status: Int, headers: [String: String] = [:], body: String)
        /// These bytes, then the connection ends.
        case bytes(String)
        /// The hub responds, and only its first bytes come through before the connection ends.
        case passAndCut(afterBytes: Int)
        /// Nothing for the time, then the connection ends.
        case silence(seconds: Double)
    }

    struct Request {
        let method: String
        /// Without the query.
        let path: String
        let target: String
        let headers: [String: String]
        let bytes: [UInt8]

        /// The body as text.
        var body: String { String(decoding: bytes, as: UTF8.self) }

        /// Whether it carries mutations of the outbox.
        var isPush: Bool { method == "POST" && path.hasPrefix("/v1/mutations") }
    }

    typealias Rule = @Sendable (Request) -> Reply

    let port: UInt16
    private let target: UInt16
    private let listener: Int32
    // Guarded by `lock`.
    private let lock = NSLock()
    private var rule: Rule = { _ in .pass }
    private var seen: [Request] = []
    private var responded: [FrontExchange] = []

    init(target: UInt16) throws {
        self.target = target
        (listener, port) = try Self.listen()
        Thread.detachNewThread { self.accept() }
    }

    /// The requests so far, in the order in which they were complete.
    var requests: [Request] { lock.withLock { seen } }

    /// The responses of the hub itself so far.
    var exchanges: [FrontExchange] { lock.withLock { responded } }

    /// Takes over what another front saw.
    func add(_ exchanges: [FrontExchange]) {
        lock.withLock { responded += exchanges }
    }

    /// What applies to requests from now on.
    func reply(_ rule: @escaping Rule) {
        lock.withLock { self.rule = rule }
    }

    /// Accepts no more connections.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func accept() {
        while true {
            let socket = Glibc.accept(listener, nil, nil)
            guard socket >= 0 else { break }
            Thread.detachNewThread { self.serve(socket) }
        }
        close(listener)
    }

    private func serve(_ socket: Int32) {
        var reader = FrontReader(socket: socket)
        while let request = reader.next() {
            let rule = lock.withLock {
                seen.append(request)
                return self.rule
            }
            guard response(request, rule(request), on: socket) else { break }
        }
        close(socket)
    }

    /// Whether the connection goes on.
    private func response(_ request: Request, _ reply: Reply, on socket: Int32) -> Bool {
        switch reply {
        case .pass:
            return passOn(request, to: socket)
        case .passAfter(let seconds):
            Thread.sleep(forTimeInterval: seconds)
            return passOn(request, to: socket)
        case .response(let status, let headers, let body):
            return write(
                FrontMessage(status: status, headers: headers, body: Array(body.utf8)).bytes, to: socket)
        case .bytes(let text):
            _ = write(Array(text.utf8), to: socket)
            return false
        case .passAndCut(let count):
            if let bytes = try? hubResponse(to: request) { _ = write(Array(bytes.prefix(count)), to: socket) }
            return false
        case .silence(let seconds):
            Thread.sleep(forTimeInterval: seconds)
            return false
        }
    }

    private func passOn(_ request: Request, to socket: Int32) -> Bool {
        guard let bytes = try? hubResponse(to: request) else { return false }
        return write(bytes, to: socket)
    }

    private func hubResponse(to request: Request) throws -> [UInt8] {
        var headers = request.headers
        for name in ["host", "content-length", "content-type", "connection", "expect"] {
            headers[name] = nil
        }
        let hub = LoopbackClient(.tcp(port: target), timeout: 60)
        let response = try hub.request(
            request.method, request.target, headers: headers,
            bytes: request.method == "GET" ? nil : request.bytes,
            of: request.headers["content-type"] ?? "application/json")
        lock.withLock { responded.append(FrontExchange(request: request, response: response)) }
        return FrontMessage(status: response.status, headers: response.headers, body: response.body).bytes
    }

    private func write(_ bytes: [UInt8], to socket: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func listen() throws -> (Int32, UInt16) {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, size) == 0 && Glibc.listen(socket, 64) == 0
                    && getsockname(socket, $0, &size) == 0
            }
        }
        guard isBound else { throw LoopbackError.notConnected(errno: errno) }
        return (socket, UInt16(bigEndian: address.sin_port))
    }
}
