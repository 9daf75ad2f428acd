import Foundation
import Glibc

/// Reads requests with a length off one connection, as a server does.
struct RequestReader {
    let connection: Int32
    let number: Int
    private var received: [UInt8] = []

    init(connection: Int32, number: Int) {
        self.connection = connection
        self.number = number
    }

    /// Nil when the client is gone or what it sent is no HTTP.
    mutating func next() -> ScriptedRequest? {
        guard let head = head() else { return nil }
        let lines = head.components(separatedBy: "\r\n")
        let words = (lines.first ?? "").split(separator: " ")
        guard words.count == 3 else { return foreign }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] =
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        let length = Int(headers["content-length"] ?? "0") ?? 0
        while received.count < length { guard receive() else { return nil } }
        let body = Array(received.prefix(length))
        received.removeFirst(length)
        return ScriptedRequest(
            method: String(words[0]), path: String(words[1]), headers: headers, body: body,
            connection: number)
    }

    /// The substitute of a request in another protocol, such as TLS: the server responds as to any other.
    private var foreign: ScriptedRequest {
        ScriptedRequest(method: "", path: "/", headers: [:], body: received, connection: number)
    }

    private mutating func head() -> String? {
        let mark = Array("\r\n\r\n".utf8)
        while true {
            if let range = received.firstRange(of: mark) {
                let head = String(decoding: received[..<range.lowerBound], as: UTF8.self)
                received.removeSubrange(..<range.upperBound)
                return head
            }
            guard receive() else { return nil }
            if let first = received.first, first < 0x20 { return "" }
        }
    }

    private mutating func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(connection, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        received += buffer[..<count]
        return true
    }
}

/// Opens the sockets that test servers listen on.
enum ListeningSocket {
    /// On a free port of 127.0.0.1, or on the Unix-domain socket `unixPath`.
    static func open(unixPath: String?) throws -> Int32 {
        let family = unixPath == nil ? AF_INET : AF_UNIX
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw LoopbackError.notConnected(errno: errno) }
        let bound = unixPath.map { bind(descriptor, toPath: $0) } ?? bindToLoopback(descriptor)
        guard bound == 0, listen(descriptor, 128) == 0 else {
            let reason = errno
            close(descriptor)
            throw LoopbackError.notConnected(errno: reason)
        }
        return descriptor
    }

    static func port(of descriptor: Int32) -> UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return address.sin_family == sa_family_t(AF_INET) ? UInt16(bigEndian: address.sin_port) : 0
    }

    private static func bindToLoopback(_ descriptor: Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return bind(descriptor, &address)
    }

    private static func bind(_ descriptor: Int32, toPath path: String) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix(107)) }
        return bind(descriptor, &address)
    }

    private static func bind(_ descriptor: Int32, _ address: inout some Any) -> Int32 {
        withUnsafeBytes(of: &address) {
            Glibc.bind(
                descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
    }
}
