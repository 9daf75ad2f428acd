internal import Foundation
internal import Glibc
internal import Synchronization

/// Stands before a hub and passes requests on; while it is set to fail, every push gets a 503 in the hub's
/// place.
final class FailingFront: Sendable {
    /// Host and port.
    let address: String
    private let hub: String
    private let listener: Int32
    private let fails = Mutex(false)

    init(before hub: String) throws(BenchFailure) {
        self.hub = hub
        let (listener, port) = try Self.listen()
        self.listener = listener
        address = "127.0.0.1:\(port)"
        Thread.detachNewThread { [self] in accept() }
    }

    /// Whether pushes fail from now on.
    func setFailing(_ isFailing: Bool) { fails.withLock { $0 = isFailing } }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func listen() throws(BenchFailure) -> (socket: Int32, port: UInt16) {
        let listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && Glibc.listen(listener, 64) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        guard isBound else { throw .system(call: "listen on loopback", code: errno) }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    private func accept() {
        while true {
            let socket = Glibc.accept(listener, nil, nil)
            guard socket >= 0 else { break }
            Thread.detachNewThread { [self] in
                serve(socket)
                close(socket)
            }
        }
        close(listener)
    }

    /// One request after the other, each over this connection's own way to the hub.
    private func serve(_ socket: Int32) {
        guard let way = try? HubConnection(hub) else { return }
        var received: [UInt8] = []
        while let request = Self.request(from: socket, &received) {
            let isPush = request.starts(with: Array("POST /v1/mutations".utf8))
            var response = HubConnection.Response(status: 503, entityTag: nil, body: Array("{}".utf8))
            if !isPush || !fails.withLock({ $0 }) {
                guard let served = try? way.query(request) else { return }
                response = served
            }
            let tag = response.entityTag.map { "ETag: \($0)\r\n" } ?? ""
            let head =
                "HTTP/1.1 \(response.status) -\r\nContent-Type: application/json\r\n\(tag)"
                + "Content-Length: \(response.body.count)\r\n\r\n"
            guard Self.send(Array(head.utf8) + response.body, to: socket) else { return }
        }
    }

    /// The next whole request; nil when the connection ends.
    private static func request(from socket: Int32, _ received: inout [UInt8]) -> [UInt8]? {
        let mark = Array("\r\n\r\n".utf8)
        while true {
            if let end = received.firstRange(of: mark) {
                let head = String(decoding: received[..<end.lowerBound], as: UTF8.self).lowercased()
                let length =
                    head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
                    .flatMap { Int($0.dropFirst(15).drop { $0 == " " }) } ?? 0
                let whole = end.upperBound + length
                if received.count >= whole {
                    defer { received.removeFirst(whole) }
                    return Array(received[..<whole])
                }
            }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            received += buffer[..<count]
        }
    }

    private static func send(_ bytes: [UInt8], to socket: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
