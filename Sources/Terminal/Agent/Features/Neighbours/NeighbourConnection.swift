internal import Base
internal import HubProtocol
internal import PinnedTLS

/// A request or a response between two tills: HTTP/1.1 with a body of JSON whose length is named.
struct NeighbourMessage: Hashable, Sendable {
    /// The first line, for example `POST /neighbour/v1/hello HTTP/1.1` or `HTTP/1.1 200 OK`.
    let start: String
    var mediaType = "application/json"
    let body: [UInt8]

    var bytes: [UInt8] {
        Array(
            ("\(start)\r\n\(HeaderNames.schema): \(Schema.current)\r\nContent-Type: \(mediaType)\r\n"
                + "Content-Length: \(body.count)\r\n\r\n").utf8) + body
    }

    static func request(_ path: String, _ document: JSONValue) -> NeighbourMessage {
        NeighbourMessage(start: "POST \(path) HTTP/1.1", body: document.canonicalBytes)
    }

    /// A piece of this till's journal, for a keeper.
    static func piece(_ bytes: [UInt8]) -> NeighbourMessage {
        NeighbourMessage(
            start: "POST \(SealedPiece.path) HTTP/1.1", mediaType: SealedPiece.mediaType, body: bytes)
    }

    static func response(_ status: Int, _ document: JSONValue) -> NeighbourMessage {
        NeighbourMessage(
            start: "HTTP/1.1 \(status) \(status < 400 ? "OK" : "Refused")", body: document.canonicalBytes)
    }

    /// The path of a request with the method POST; nil for anything else.
    var path: String? {
        let words = start.split(separator: " ", omittingEmptySubsequences: false)
        return words.count == 3 && words[0] == "POST" && words[2] == "HTTP/1.1" ? String(words[1]) : nil
    }

    /// Whether it is a response without an error.
    var isGood: Bool { start.hasPrefix("HTTP/1.1 200 ") }

    /// The body as JSON; nil where it is none.
    var document: JSONValue? { try? JSONParser.parse(body) }
}

/// A message as far as it has come. Heads and bodies are limited (``NeighbourLimits``).
struct NeighbourMessageReader {
    private var received: [UInt8] = []

    /// Nothing has come yet.
    var isEmpty: Bool { received.isEmpty }

    /// Takes what came.
    ///
    /// - Returns: the next message once it is whole.
    /// - Throws: ``TLSStreamFailure/malformed``.
    mutating func take(_ bytes: [UInt8]) throws(TLSStreamFailure) -> NeighbourMessage? {
        received += bytes
        let limit = NeighbourLimits.headBytes
        guard let end = Self.end(of: received.prefix(limit)) else {
            guard received.count < limit else { throw .malformed }
            return nil
        }
        let lines = received[..<(end - Self.mark.count)].split(separator: UInt8(ascii: "\n")).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
        guard let start = lines.first, !start.isEmpty else { throw .malformed }
        // A piece is the one message that is larger than a document.
        let isPiece = start.hasPrefix("POST \(SealedPiece.path) ")
        let length = try Self.length(
            in: lines.dropFirst(),
            upTo: isPiece ? NeighbourLimits.pieceBytes : NeighbourLimits.documentBytes)
        guard received.count >= end + length else { return nil }
        let message = NeighbourMessage(start: start, body: Array(received[end..<end + length]))
        received.removeFirst(end + length)
        return message
    }

    /// The end of the last line, and the empty one behind it.
    private static let mark = Array("\r\n\r\n".utf8)

    /// The place behind the empty line.
    private static func end(of bytes: ArraySlice<UInt8>) -> Int? {
        bytes.indices.first { bytes[$0...].starts(with: mark) }.map { $0 + mark.count }
    }

    /// Two lengths are two opinions of where the next message begins, and one that is named as chunks has
    /// none.
    private static func length(
        in lines: ArraySlice<String>, upTo most: Int
    ) throws(TLSStreamFailure) -> Int {
        var length: Int?
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw .malformed }
            let value = parts[1].drop { $0 == " " }
            switch parts[0].lowercased() {
            case "content-length":
                guard length == nil, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                    let number = Int(value), number <= most
                else { throw .malformed }
                length = number
            case "transfer-encoding": throw .malformed
            default: break
            }
        }
        guard let length else { throw .malformed }
        return length
    }
}

/// One connection between two tills that have proven their keys.
actor NeighbourConnection {
    /// The terminal on the other side.
    nonisolated let terminalId: String
    private let stream: any NeighbourStream
    private var reader = NeighbourMessageReader()

    /// - Parameter terminalId: whose certificate it is.
    init(_ stream: any NeighbourStream, to terminalId: String) {
        (self.stream, self.terminalId) = (stream, terminalId)
    }

    /// Sends a request and waits for its response.
    func exchange(
        _ request: NeighbourMessage, until end: Instant
    ) async throws(TLSStreamFailure) -> NeighbourMessage {
        try await send(request, until: end)
        guard let response = try await next(until: end) else { throw .broken }
        return response
    }

    /// The next message; nil at the connection's end.
    func next(until end: Instant) async throws(TLSStreamFailure) -> NeighbourMessage? {
        var message = try reader.take([])
        while message == nil {
            let bytes = try await stream.receive(until: end)
            guard !bytes.isEmpty else {
                guard reader.isEmpty else { throw .broken }
                return nil
            }
            message = try reader.take(bytes)
        }
        return message
    }

    func send(_ message: NeighbourMessage, until end: Instant) async throws(TLSStreamFailure) {
        try await stream.send(message.bytes, until: end)
    }

    func close() async { await stream.close() }
}
