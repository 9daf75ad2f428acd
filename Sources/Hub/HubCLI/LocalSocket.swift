internal import Glibc
internal import HubCore
internal import HubProtocol
internal import HubServer

/// Sends a request to the running hub over its Unix-domain socket: one HTTP/1.0 request, one response, the
/// connection's end.
struct LocalSocket: AdminService {
    let path: String

    /// How long the hub may take, in seconds: an import of a large catalogue takes some, and each PIN that is
    /// not hashed yet up to one.
    private static func deadline(of call: AdminCall) -> Int {
        switch call {
        case .importList(.cashiers(let cashiers), _), .hashPINs(let cashiers):
            120 + cashiers.count { $0.pinHash == nil }
        case _: 120
        }
    }

    func perform(_ call: AdminCall) throws -> JSONValue {
        let body = call.json.canonicalBytes
        let head =
            "POST /admin/\(call.name) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
        let response = try exchanged(Array(head.utf8) + body, within: Self.deadline(of: call))
        guard let end = response.firstRange(of: Array("\r\n\r\n".utf8)),
            let json = try? JSONParser.parse(response[end.upperBound...])
        else { throw CommandFailure.tryAgain("the hub ended before it answered; try again") }
        let statusLine = String(decoding: response.prefix(16), as: UTF8.self).split(separator: " ")
        guard statusLine.count > 1, statusLine[1] == "200" else {
            if let problem = Problem(json: json) { throw problem }
            throw CommandFailure.tryAgain("the hub gave no answer that can be read; try again")
        }
        return json
    }

    /// Whether a process serves the store.
    var responds: Bool {
        guard let socket = try? connected(within: 2) else { return false }
        close(socket)
        return true
    }

    private func exchanged(_ request: [UInt8], within seconds: Int) throws -> [UInt8] {
        let socket = try connected(within: seconds)
        defer { close(socket) }
        var offset = 0
        while offset < request.count {
            let count = request[offset...].withUnsafeBytes {
                send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Self.broken() }
            offset += count
        }
        var response: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count >= 0 else { throw Self.broken() }
            if count == 0 { return response }
            response.append(contentsOf: buffer[..<count])
        }
    }

    private func connected(within seconds: Int) throws -> Int32 {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw Self.broken() }
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix(107)) }
        let code = withUnsafeBytes(of: &address) {
            connect(socket, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        guard code == 0 else {
            close(socket)
            throw CommandFailure.tryAgain(
                "the process that owns the store does not answer on \(path); try again")
        }
        return socket
    }

    private static func broken() -> CommandFailure {
        .tryAgain("the connection to the hub broke (\(String(cString: strerror(errno)))); try again")
    }
}
