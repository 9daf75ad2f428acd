import Foundation
import Glibc
import HubProtocol
import TestKit

@testable import PinnedTLS

/// A connection between two tills of which a test is one side, byte by byte; it waits in its calls.
final class NeighbourWire {
    enum Failure: Error {
        case notConnected(code: Int32)
        case handshakeFailed
        /// The other side ended it, or said nothing for ten seconds.
        case ended
    }

    /// A request or a response.
    struct Message {
        let start: String
        let body: [UInt8]

        var status: Int? { start.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
        var path: String { start.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
        var json: JSONValue? { try? JSONParser.parse(body) }

        static func bytes(_ start: String, _ body: [UInt8]) -> [UInt8] {
            Array("\(start)\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
        }
    }

    private let descriptor: Int32
    private let session: TLSSession
    private var received: [UInt8] = []

    /// Connects and shows `identity`; whoever is there is accepted.
    ///
    /// - Parameter namespace: where it comes from; nil: this computer.
    init(to address: String, as identity: TLSIdentity, from namespace: NetworkNamespace? = nil) throws {
        let open: @Sendable () throws -> Int32 = { try Self.connected(address) }
        descriptor = try namespace.map { try $0.perform(open) } ?? open()
        session = try Self.session(identity, isServer: false, descriptor)
        try handshake()
    }

    /// Takes over a connection that was accepted.
    init(accepted descriptor: Int32, as identity: TLSIdentity) throws {
        self.descriptor = descriptor
        session = try Self.session(identity, isServer: true, descriptor)
        try handshake()
    }

    deinit { close(descriptor) }

    private static func session(
        _ identity: TLSIdentity, isServer: Bool, _ descriptor: Int32
    ) throws -> TLSSession {
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        guard let session = TLSSession(identity, isServer: isServer, accepts: { _ in true }) else {
            throw Failure.handshakeFailed
        }
        return session
    }

    private static func connected(_ text: String) throws -> Int32 {
        guard let address = SocketAddress(text, defaultPort: NeighbourLimits.port) else {
            throw Failure.notConnected(code: EINVAL)
        }
        let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard address.withSystemAddress({ connect(descriptor, $0, $1) }) == 0 else {
            let code = errno
            close(descriptor)
            throw Failure.notConnected(code: code)
        }
        return descriptor
    }

    private func handshake() throws {
        while true {
            let step = session.handshake()
            try flush()
            switch step {
            case .done: return
            case .failed: throw Failure.handshakeFailed
            case .waits: try take()
            }
        }
    }

    func send(_ bytes: [UInt8]) throws {
        guard session.write(bytes) else { throw Failure.ended }
        try flush()
    }

    /// The next message of the other side.
    func next() throws -> Message {
        let mark = Array("\r\n\r\n".utf8)
        while true {
            if let end = received.firstRange(of: mark) {
                let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self)
                    .components(separatedBy: "\r\n")
                let length =
                    lines.lazy.compactMap { line -> Int? in
                        let parts = line.lowercased().split(separator: ":")
                        guard parts.first == "content-length", parts.count == 2 else { return nil }
                        return Int(parts[1].trimmingCharacters(in: .whitespaces))
                    }.first ?? 0
                if received.count >= end.upperBound + length {
                    let body = Array(received[end.upperBound..<end.upperBound + length])
                    received.removeFirst(end.upperBound + length)
                    return Message(start: lines[0], body: body)
                }
            }
            switch session.read(into: &received) {
            case .done: continue
            case .failed: throw Failure.ended
            case .waits: try take()
            }
        }
    }

    /// Sends a request and waits for its response; throws where the other side ends the connection instead.
    func exchange(_ path: String, _ body: [UInt8]) throws -> Message {
        try send(Message.bytes("POST \(path) HTTP/1.1", body))
        return try next()
    }

    private func take() throws {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { throw Failure.ended }
        buffer.withUnsafeBytes { session.feed(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    private func flush() throws {
        var rest = session.drain()[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure.ended }
            rest = rest.dropFirst(count)
        }
    }
}

/// Where a test listens as a till does.
final class NeighbourListener: @unchecked Sendable {
    /// What becomes of each connection; it ends with the call.
    typealias Manner = @Sendable (Int32) -> Void

    // Both are set once.
    private let descriptor: Int32
    let port: UInt16

    /// - Parameters:
    ///   - address: with its port, 0 for any free one.
    ///   - namespace: where; nil: on this computer.
    init(_ address: String, in namespace: NetworkNamespace? = nil, _ manner: @escaping Manner) throws {
        let open: @Sendable () throws -> (Int32, UInt16) = { try Self.open(address) }
        let (descriptor, port) = try namespace.map { try $0.perform(open) } ?? open()
        (self.descriptor, self.port) = (descriptor, port)
        Thread.detachNewThread {
            while true {
                let guest = accept(descriptor, nil, nil)
                guard guest >= 0 else { break }
                Thread.detachNewThread { manner(guest) }
            }
            close(descriptor)
        }
    }

    deinit { stop() }

    /// Accepts no more connections.
    func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private static func open(_ text: String) throws -> (Int32, UInt16) {
        guard let address = SocketAddress(text, defaultPort: NeighbourLimits.port) else {
            throw NeighbourWire.Failure.notConnected(code: EINVAL)
        }
        let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var (yes, own) = (Int32(1), sockaddr_in())
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        guard address.withSystemAddress({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, 64) == 0 else {
            let code = errno
            close(descriptor)
            throw NeighbourWire.Failure.notConnected(code: code)
        }
        withUnsafeMutablePointer(to: &own) {
            _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        return (descriptor, UInt16(bigEndian: own.sin_port))
    }
}
