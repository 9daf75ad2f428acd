package import Base
internal import Glibc
package import LinuxRuntime
internal import MachineRuntime

/// Why a connection, or an attempt at one, ended.
package enum TLSStreamFailure: Error, Hashable, Sendable {
    /// Nobody accepts the connection; the error number.
    case notConnected(code: Int32)
    case timedOut
    /// The handshake failed: the peer speaks no TLS 1.3, or one of the two does not accept the other.
    case handshakeFailed
    /// The connection broke, or was closed in the middle of a message.
    case broken
    /// The peer sent what is no message of this protocol, or one that is too large.
    case malformed
}

/// A TCP connection under TLS on the event loop. One task uses it at a time; another one may end it. Its
/// descriptor goes with the last reference.
package actor TLSStream {
    private let descriptor: Int32
    private let session: TLSSession
    private let loop: EventLoop
    private var received: [UInt8] = []
    private var isClosed = false

    private init(descriptor: Int32, session: TLSSession, loop: EventLoop) {
        (self.descriptor, self.session, self.loop) = (descriptor, session, loop)
    }

    deinit { Glibc.close(descriptor) }

    /// Takes a socket that was accepted over, which must not block. It is closed where this fails.
    ///
    /// - Parameter accepts: whether a peer is one whose key is known, called during the handshake.
    package static func accepted(
        _ descriptor: Int32, as identity: TLSIdentity, on loop: EventLoop, until end: Instant,
        accepts: @escaping @Sendable (TLSClaim) -> Bool
    ) async throws(TLSStreamFailure) -> TLSStream {
        try await begin(descriptor, identity, isServer: true, loop, end, accepts)
    }

    /// Connects to `address` and shows `identity`.
    package static func connect(
        to address: SocketAddress, as identity: TLSIdentity, on loop: EventLoop, until end: Instant,
        accepts: @escaping @Sendable (TLSClaim) -> Bool
    ) async throws(TLSStreamFailure) -> TLSStream {
        let descriptor = try await ConnectedSocket.open(to: address, on: loop, until: end)
        return try await begin(descriptor, identity, isServer: false, loop, end, accepts)
    }

    private static func begin(
        _ descriptor: Int32, _ identity: TLSIdentity, isServer: Bool, _ loop: EventLoop, _ end: Instant,
        _ accepts: @escaping @Sendable (TLSClaim) -> Bool
    ) async throws(TLSStreamFailure) -> TLSStream {
        guard let session = TLSSession(identity, isServer: isServer, accepts: accepts) else {
            Glibc.close(descriptor)
            throw .handshakeFailed
        }
        let stream = TLSStream(descriptor: descriptor, session: session, loop: loop)
        do throws(TLSStreamFailure) {
            try await stream.handshake(until: end)
        } catch {
            await stream.close()
            throw error
        }
        return stream
    }

    /// Who the peer is; nil only before the handshake.
    package var peer: TLSClaim? { session.peer }

    private func handshake(until end: Instant) async throws(TLSStreamFailure) {
        while true {
            let step = session.handshake()
            try await flush(until: end)
            switch step {
            case .done: return
            case .failed: throw .handshakeFailed
            case .waits:
                guard try await take(until: end) else { throw .handshakeFailed }
            }
        }
    }

    /// Sends all of `bytes`.
    package func send(_ bytes: [UInt8], until end: Instant) async throws(TLSStreamFailure) {
        guard session.write(bytes) else { throw .broken }
        try await flush(until: end)
    }

    /// What has arrived, at least one byte; empty at the connection's end.
    ///
    /// - Parameter end: nil: however long it takes.
    package func receive(until end: Instant?) async throws(TLSStreamFailure) -> [UInt8] {
        while true {
            switch session.read(into: &received) {
            case .done:
                defer { received = [] }
                return received
            case .failed: return []
            case .waits:
                guard try await take(until: end) else { return [] }
            }
        }
    }

    /// Ends the connection; whoever waits for it sees its end.
    package func close() {
        isClosed = true
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Takes bytes of the peer.
    ///
    /// - Returns: false at the connection's end.
    private func take(until end: Instant?) async throws(TLSStreamFailure) -> Bool {
        while true {
            guard !isClosed else { throw .broken }
            let count = withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
                let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                if count > 0 { session.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
                return count
            }
            if count > 0 { return true }
            if count == 0 { return false }
            switch errno {
            case EINTR: continue
            case EAGAIN: try await ConnectedSocket.wait(for: .read, descriptor, on: loop, until: end)
            default: throw .broken
            }
        }
    }

    private func flush(until end: Instant) async throws(TLSStreamFailure) {
        var rest = session.drain()[...]
        while !rest.isEmpty {
            guard !isClosed else { throw .broken }
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                try await ConnectedSocket.wait(for: .write, descriptor, on: loop, until: end)
            } else if errno != EINTR {
                throw .broken
            }
        }
    }
}

/// Sockets that wait on the event loop.
enum ConnectedSocket {
    static func open(
        to address: SocketAddress, on loop: EventLoop, until end: Instant
    ) async throws(TLSStreamFailure) -> Int32 {
        let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        let descriptor = socket(address.family, Int32(kind), 0)
        guard descriptor >= 0 else { throw .notConnected(code: errno) }
        let isDone = address.withSystemAddress { connect(descriptor, $0, $1) == 0 }
        if isDone { return descriptor }
        do throws(TLSStreamFailure) {
            guard errno == EINPROGRESS else { throw .notConnected(code: errno) }
            try await wait(for: .write, descriptor, on: loop, until: end)
            var (code, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
            guard code == 0 else { throw .notConnected(code: code) }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    static func wait(
        for interest: Readiness, _ descriptor: Int32, on loop: EventLoop, until end: Instant?
    ) async throws(TLSStreamFailure) {
        let isReady: Bool
        if let end {
            // A descriptor has one waiter: it is gone before the next read or write waits.
            isReady =
                await untilDeadline(end, on: LinuxSystemTime(loop: loop)) {
                    (try? await loop.waitUntilReady(descriptor, for: interest)) != nil
                } ?? false
        } else {
            isReady = (try? await loop.waitUntilReady(descriptor, for: interest)) != nil
        }
        guard isReady else { throw Task.isCancelled ? .broken : .timedOut }
    }
}
