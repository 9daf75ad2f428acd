import Foundation
import Glibc

/// Reads the requests of one connection.
struct FrontReader {
    let socket: Int32
    private var received: [UInt8] = []

    init(socket: Int32) {
        self.socket = socket
    }

    /// The next complete request; nil when the connection ended or is no HTTP.
    mutating func next() -> HubFront.Request? {
        let mark = Array("\r\n\r\n".utf8)
        var end: Range<Int>?
        while end == nil {
            end = received.firstRange(of: mark)
            if end == nil, !receive() { return nil }
        }
        guard let end else { return nil }
        let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).components(
            separatedBy: "\r\n")
        let words = (lines.first ?? "").split(separator: " ").map(String.init)
        guard words.count == 3 else { return nil }
        let headers = Self.headers(lines.dropFirst())
        let length = Int(headers["content-length"] ?? "0") ?? 0
        while received.count < end.upperBound + length {
            if !receive() { return nil }
        }
        let body = received[end.upperBound..<end.upperBound + length]
        defer { received.removeFirst(end.upperBound + length) }
        return HubFront.Request(
            method: words[0], path: String(words[1].prefix { $0 != "?" }), target: words[1], headers: headers,
            bytes: Array(body))
    }

    private static func headers(_ lines: ArraySlice<String>) -> [String: String] {
        var headers: [String: String] = [:]
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] =
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        return headers
    }

    private mutating func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        received += buffer[..<count]
        return true
    }
}

/// A response as it is sent, with the length of its body.
struct FrontMessage {
    let status: Int
    let headers: [String: String]
    let body: [UInt8]

    var bytes: [UInt8] {
        var text = "HTTP/1.1 \(status) Answer\r\n"
        let own: Set = ["content-length", "transfer-encoding", "connection"]
        for (name, value) in headers where !own.contains(name.lowercased()) {
            text += "\(name): \(value)\r\n"
        }
        if status != 204, status != 304 { text += "Content-Length: \(body.count)\r\n" }
        return Array((text + "\r\n").utf8) + body
    }
}
