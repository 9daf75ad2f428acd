import Base
internal import LinuxRuntime
internal import MachineRuntime
internal import Foundation
internal import Glibc
internal import HubProtocol

/// One request as it came over the agent's socket.
struct SocketRequest {
    /// Why a request is refused before it is handled.
    enum Failure: Error, Hashable {
        /// The other side is gone, or was too slow.
        case gone
        case malformed(String)
        case headTooLarge
        case bodyTooLarge

        /// What the other side gets; nil for nothing.
        var response: AgentResponse? {
            switch self {
            case .gone: nil
            case .malformed(let what):
                AgentResponse(TerminalError(.usage, code: "malformed_request") { $0.noRequest("\(what)") })
            case .headTooLarge:
                AgentResponse(
                    status: 431,
                    TerminalError(.usage, code: "head_too_large") { $0.headTooLarge })
            case .bodyTooLarge:
                AgentResponse(
                    status: 413,
                    TerminalError(.usage, code: "body_too_large") { $0.bodyTooLarge })
            }
        }
    }

    let method: String
    /// Percent-encoded, without the query.
    let path: String
    let query: [String: String]
    let keepsAlive: Bool
    /// The header `Pos-Front-End`; nil: none.
    let frontEnd: String?
    /// The header `Pos-Front-End-Process: own`: the process that connected is the front end.
    let isFrontEndProcess: Bool
    var body: [UInt8] = []
    /// Bytes of the body to come.
    let length: Int
    /// The sender waits for `100 Continue` before it sends the body.
    let expectsContinue: Bool

    /// A line and some fields of a program on this machine take 300 bytes; 16 KiB is what servers allow.
    static let maximumHead = 16 << 10
    /// The largest sale by far; what is larger is refused unread.
    static let maximumBody = 1 << 20

    /// - Parameter head: the lines up to the empty one.
    init(head: ArraySlice<UInt8>) throws(Failure) {
        var lines = head.split(separator: UInt8(ascii: "\n")).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }.filter { !$0.isEmpty }
        guard !lines.isEmpty else { throw .malformed("it is empty") }
        let words = lines.removeFirst().split(separator: " ")
        guard words.count == 3, words[2].hasPrefix("HTTP/1."),
            let target = URLComponents(string: String(words[1])), words[1].hasPrefix("/")
        else { throw .malformed("its first line") }
        method = String(words[0])
        path = target.percentEncodedPath
        query = Dictionary((target.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { first, _ in first }
        var fields: [String: String] = [:]
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { throw .malformed("a field of its head") }
            let name = line[..<colon].lowercased()
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            // Two lengths are two opinions of where the next request begins.
            guard fields.updateValue(value, forKey: name) == nil || name != "content-length" else {
                throw .malformed("two lengths")
            }
        }
        guard fields["transfer-encoding"] == nil else { throw .malformed("a body without its length") }
        let text = fields["content-length"] ?? "0"
        guard let length = Int(text), length >= 0 else { throw .malformed("its length") }
        guard length <= Self.maximumBody else { throw .bodyTooLarge }
        self.length = length
        let connection = fields["connection"]?.lowercased()
        keepsAlive = words[2] == "HTTP/1.1" ? connection != "close" : connection == "keep-alive"
        frontEnd = fields["pos-front-end"]
        isFrontEndProcess = fields["pos-front-end-process"] == "own"
        expectsContinue = fields["expect"]?.lowercased() == "100-continue"
    }
}

/// A response as it goes over the agent's socket.
struct SocketReply: Sendable {
    /// Without its document where ``withoutDocument`` dropped that.
    private(set) var response: AgentResponse
    let bytes: [UInt8]

    init(_ response: AgentResponse, keepsAlive: Bool) {
        let body = response.body.canonicalBytes
        let head =
            "HTTP/1.1 \(response.status) \(response.status < 400 ? "OK" : "Refused")\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n"
            + (response.language.map { "Content-Language: \($0)\r\n" } ?? "")
            + (keepsAlive ? "\r\n" : "Connection: close\r\n\r\n")
        self.response = response
        bytes = Array(head.utf8) + body
    }

    /// The same bytes. A list has thousands of values, which are released where this is called.
    var withoutDocument: SocketReply {
        var reply = self
        reply.response = AgentResponse(status: response.status, .null)
        return reply
    }
}

/// A connection of the agent's socket: reads requests and writes responses, each byte looked at once.
struct ServedSocket {
    let socket: Int32
    private let loop: EventLoop
    private let time: any SystemTime
    private let timeout: Duration
    private let largestBody: Int
    /// What came and was not used yet.
    private var received: [UInt8] = []

    /// - Parameter largestBody: in bytes; a larger one is refused unread.
    init(
        socket: Int32, loop: EventLoop, timeout: Duration, largestBody: Int = SocketRequest.maximumBody
    ) {
        self.socket = socket
        self.largestBody = largestBody
        self.loop = loop
        time = LinuxSystemTime(loop: loop)
        self.timeout = timeout
    }

    /// The next request, however long it takes to begin; nil when the other side has ended.
    ///
    /// - Parameter begun: called when its first byte is there.
    mutating func nextRequest(
        begun: () -> Void = {}
    ) async throws(SocketRequest.Failure) -> SocketRequest? {
        // Its time runs from its first byte on.
        var end: Instant? = received.isEmpty ? nil : time.now() + timeout
        var search = HeadSearch()
        while !search.hasEnd(in: received) {
            guard received.count < SocketRequest.maximumHead else { throw .headTooLarge }
            let count = try await receive(until: end)
            guard count > 0 else {
                if received.isEmpty { return nil }
                throw .gone
            }
            if end == nil { begun() }
            end = end ?? time.now() + timeout
        }
        guard search.position <= SocketRequest.maximumHead else { throw .headTooLarge }
        var request = try SocketRequest(head: received[..<search.position])
        received.removeFirst(search.position)
        guard request.length <= largestBody else { throw .bodyTooLarge }
        if request.expectsContinue, received.count < request.length {
            await write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        while received.count < request.length {
            guard try await receive(until: end) > 0 else { throw .gone }
        }
        request.body = Array(received[..<request.length])
        received.removeFirst(request.length)
        return request
    }

    /// Returns true once the other side has closed, false when the task was cancelled before. Nothing
    /// else may wait for the socket meanwhile.
    func hangsUp() async -> Bool {
        // A hang-up comes without an interest; a side that only ended its sending has not hung up.
        (try? await loop.waitUntilReady(socket, for: [])) != nil
    }

    /// Takes what is there, and waits for it where nothing is.
    private mutating func receive(
        until end: Instant?
    ) async throws(SocketRequest.Failure) -> Int {
        while true {
            let count = withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
                let count = recv(socket, buffer.baseAddress, buffer.count, 0)
                if count > 0 { received.append(contentsOf: UnsafeRawBufferPointer(buffer)[..<count]) }
                return count
            }
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: guard await isReady(for: .read, until: end) else { throw .gone }
            default: throw .gone
            }
        }
    }

    /// Bytes that are handed over in one turn of the loop; the system takes some 200 KiB at a time. Halved, a
    /// list takes twice as many turns, doubled, a sale waits twice as long for one: some 50 µs.
    private static let portion = 256 << 10

    /// Sends `bytes` a portion at a time, so that other connections have their turns in between.
    ///
    /// - Returns: whether all of it went out.
    @discardableResult
    func write(_ bytes: [UInt8]) async -> Bool {
        let end = time.now() + timeout
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.prefix(Self.portion).withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
                if !rest.isEmpty { await Task.yield() }
            } else if errno == EAGAIN {
                guard await isReady(for: .write, until: end) else { return false }
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    /// - Returns: false when the time ended before, or the socket cannot be watched.
    private func isReady(for interest: Readiness, until end: Instant?) async -> Bool {
        guard let end else { return (try? await loop.waitUntilReady(socket, for: interest)) != nil }
        // A descriptor has one waiter: it is gone before the next read or write waits.
        return await untilDeadline(end, on: time) { [loop, socket] in
            (try? await loop.waitUntilReady(socket, for: interest)) != nil
        } ?? false
    }
}

/// Looks for the empty line behind a head; goes on where it stopped.
private struct HeadSearch {
    /// Behind the last byte looked at; behind the empty line once that was found.
    private(set) var position = 0
    private var lineBytes = 0

    mutating func hasEnd(in bytes: [UInt8]) -> Bool {
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\n"):
                // A request may have empty lines before it (RFC 9112, section 2.2).
                if lineBytes == 0, hasLines { return true }
                if lineBytes > 0 { hasLines = true }
                lineBytes = 0
            case UInt8(ascii: "\r"): break
            default: lineBytes += 1
            }
        }
        return false
    }

    private var hasLines = false
}
