import Foundation
import Glibc

/// A small blocking HTTP/1.1 client for tests, over TCP on loopback or a Unix-domain socket.
///
/// One connection, opened with the first request and kept for the next ones. It supports just what the tests
/// need: bodies with a length or in chunks, and a deadline for every read.
package final class LoopbackClient {
    /// Where the server listens.
    package enum Address: Equatable, Sendable {
        case tcp(port: UInt16)
        case unix(path: String)
    }

    private let address: Address
    private let timeout: Double
    private var socket: Int32 = -1
    private var received: [UInt8] = []

    package init(_ address: Address, timeout: Double = 10) {
        self.address = address
        self.timeout = timeout
    }

    /// A client of `http://127.0.0.1:PORT`, as the programs print it.
    ///
    /// - Throws: ``LoopbackError/badAddress(_:)`` for anything else.
    package convenience init(url: String, timeout: Double = 10) throws {
        guard url.hasPrefix("http://"), let colon = url.lastIndex(of: ":"),
            let port = UInt16(url[url.index(after: colon)...].prefix { $0.isNumber })
        else { throw LoopbackError.badAddress(url) }
        self.init(.tcp(port: port), timeout: timeout)
    }

    deinit { disconnect() }

    /// Closes the connection; the next request opens a new one.
    package func disconnect() {
        if socket >= 0 { close(socket) }
        socket = -1
        received = []
    }

    /// Sends one request and waits for its response.
    @discardableResult
    package func request(
        _ method: String, _ path: String, headers: [String: String] = [:], body: String? = nil
    ) throws -> LoopbackResponse {
        try request(
            method, path, headers: headers, bytes: body.map { Array($0.utf8) }, of: "application/json")
    }

    /// The same with a body of any media type.
    @discardableResult
    package func request(
        _ method: String, _ path: String, headers: [String: String] = [:], bytes: [UInt8]?,
        of mediaType: String
    ) throws -> LoopbackResponse {
        var text = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if let bytes { text += "Content-Type: \(mediaType)\r\nContent-Length: \(bytes.count)\r\n" }
        try send(Array((text + "\r\n").utf8) + (bytes ?? []))
        return try response(bodyless: method == "HEAD")
    }

    /// Writes bytes as they are, for requests that are wrong on purpose.
    package func send(_ bytes: [UInt8]) throws {
        if socket < 0 { try connect() }
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw LoopbackError.broken(errno: errno) }
            offset += count
        }
    }

    /// Returns once the first byte of a response is there, which stays unread.
    package func awaitFirstByte() throws {
        var wait = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard poll(&wait, 1, 60_000) == 1 else { throw LoopbackError.closed }
    }

    /// Reads one response to what was sent with ``send(_:)``.
    package func response(bodyless: Bool = false) throws -> LoopbackResponse {
        let lines = try head().components(separatedBy: "\r\n")
        let words = (lines.first ?? "").split(separator: " ")
        guard words.count >= 2, let status = Int(words[1]) else { throw LoopbackError.notHTTP }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] =
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        let hasBody = !bodyless && status != 204 && status != 304
        let body = hasBody ? try self.body(headers) : []
        if headers["connection"]?.lowercased() == "close" { disconnect() }
        return LoopbackResponse(status: status, headers: headers, body: body)
    }

    private func head() throws -> String {
        let mark = Array("\r\n\r\n".utf8)
        while true {
            if let range = received.firstRange(of: mark) {
                let head = String(decoding: received[..<range.lowerBound], as: UTF8.self)
                received.removeSubrange(..<range.upperBound)
                return head
            }
            try receive()
        }
    }

    private func body(_ headers: [String: String]) throws -> [UInt8] {
        if headers["transfer-encoding"]?.lowercased() == "chunked" { return try chunks() }
        return try take(Int(headers["content-length"] ?? "0") ?? 0)
    }

    private func chunks() throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let size = Int(try line().prefix { $0 != ";" }, radix: 16) ?? 0
            body += try take(size)
            _ = try line()
            if size == 0 { return body }
        }
    }

    private func line() throws -> String {
        while true {
            if let range = received.firstRange(of: Array("\r\n".utf8)) {
                let line = String(decoding: received[..<range.lowerBound], as: UTF8.self)
                received.removeSubrange(..<range.upperBound)
                return line
            }
            try receive()
        }
    }

    private func take(_ count: Int) throws -> [UInt8] {
        while received.count < count { try receive() }
        defer { received.removeFirst(count) }
        return Array(received[..<count])
    }

    private func receive() throws {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count >= 0 else {
            let code = errno
            disconnect()
            throw code == EAGAIN ? LoopbackError.timedOut : LoopbackError.broken(errno: code)
        }
        guard count > 0 else {
            disconnect()
            throw LoopbackError.closed
        }
        received += buffer[..<count]
    }

    private func connect() throws {
        socket = try address.connectedSocket()
        var limit = timeval(tv_sec: Int(timeout), tv_usec: Int((timeout - timeout.rounded(.down)) * 1e6))
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
}

/// What came back.
package struct LoopbackResponse: Sendable {
    package let status: Int
    /// By lower-case name.
    package let headers: [String: String]
    package let body: [UInt8]
    /// Each `Set-Cookie` up to its attributes; ``headers`` has the last one. Empty where the client reads
    /// none.
    package let cookies: [String]

    package init(status: Int, headers: [String: String], body: [UInt8], cookies: [String] = []) {
        self.cookies = cookies
        self.status = status
        self.headers = headers
        self.body = body
    }

    package var text: String { String(decoding: body, as: UTF8.self) }
}

/// Why no response came.
package enum LoopbackError: Error, Equatable {
    case badAddress(String)
    case notConnected(errno: Int32)
    case broken(errno: Int32)
    /// Nothing came within the client's timeout.
    case timedOut
    /// The server closed the connection before a complete response.
    case closed
    case notHTTP
}
