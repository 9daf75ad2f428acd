internal import Glibc

/// A connection to the hub or to an agent that is kept open: one request at a time, as cheap as it can be.
final class HubConnection {
    struct Response {
        let status: Int
        let entityTag: String?
        let body: [UInt8]
    }

    private let socket: Int32
    private var received: [UInt8] = []

    /// - Parameter address: `127.0.0.1:port`.
    init(_ address: String) throws(BenchFailure) {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var peer = sockaddr_in()
        peer.sin_family = sa_family_t(AF_INET)
        peer.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        peer.sin_port = (address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafePointer(to: &peer) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) }
        }
        guard code == 0 else { throw .system(call: "connect \(address)", code: errno) }
        var isOn: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }

    /// - Parameter path: an agent's socket.
    init(socketAt path: String) throws(BenchFailure) {
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var peer = sockaddr_un()
        peer.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: peer.sun_path) else {
            throw .system(call: "the path of the socket is too long, \(path)", code: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &peer.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = withUnsafePointer(to: &peer) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) }
        }
        guard code == 0 else { throw .system(call: "connect \(path)", code: errno) }
    }

    deinit { close(socket) }

    /// The bytes of a request, to be sent many times.
    static func request(
        _ method: String, _ path: String, headers: [String] = [], body: [UInt8] = []
    ) -> [UInt8] {
        let lines = ["\(method) \(path) HTTP/1.1", "Host: hub", "Content-Length: \(body.count)"] + headers
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    func query(_ request: [UInt8]) throws(BenchFailure) -> Response {
        var sent = 0
        while sent < request.count {
            let count = request[sent...].withUnsafeBytes {
                send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw .system(call: "send to the hub", code: errno) }
            sent += count
        }
        return try response()
    }

    private func response() throws(BenchFailure) -> Response {
        let mark = Array("\r\n\r\n".utf8)
        var end = received.firstRange(of: mark)
        while end == nil {
            try receive()
            end = received.firstRange(of: mark)
        }
        guard let end else { throw .system(call: "an answer of the hub", code: 0) }
        let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
        let lines = head.split(separator: "\r\n")
        func field(_ name: String) -> String? {
            lines.first { $0.lowercased().hasPrefix(name + ":") }.map {
                String($0.dropFirst(name.count + 1).drop { $0 == " " })
            }
        }
        let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let length = status == 304 ? 0 : field("content-length").flatMap { Int($0) } ?? 0
        while received.count < end.upperBound + length { try receive() }
        defer { received.removeFirst(end.upperBound + length) }
        let body = Array(received[end.upperBound..<end.upperBound + length])
        return Response(status: status, entityTag: field("etag"), body: body)
    }

    private func receive() throws(BenchFailure) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { throw .system(call: "an answer of the hub", code: errno) }
        received += buffer[..<count]
    }
}
