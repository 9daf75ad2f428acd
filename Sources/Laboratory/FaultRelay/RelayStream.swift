/// One direction of a relayed connection: chunks that wait for their time and for room.
struct RelayStream {
    private struct Piece {
        var bytes: ArraySlice<UInt8>
        let dueAt: Int64
    }

    /// Above this nothing more is read, so that a fast sender is slowed down as on a real network.
    private static let capacity = 256 << 10

    private var pieces: [Piece] = []
    private var waitingBytes = 0
    private var endDueAt: Int64?
    /// The end was read from the sender.
    private(set) var hasEnded = false
    /// The end was forwarded to the receiver.
    private(set) var isOver = false
    /// The receiver has no room; `poll` must report room before the next attempt.
    private(set) var isBlocked = false

    var isEmpty: Bool { pieces.isEmpty }
    /// Whether bytes or the end were read and not yet forwarded.
    var isUnderWay: Bool { !pieces.isEmpty || (hasEnded && !isOver) }
    var canTake: Bool { !hasEnded && waitingBytes < Self.capacity }

    /// When the next chunk or the end is due; nil while the receiver has no room.
    var nextDue: Int64? {
        if isBlocked || isOver { return nil }
        return pieces.first?.dueAt ?? endDueAt
    }

    func hasDue(at now: Int64) -> Bool {
        pieces.first.map { $0.dueAt <= now } ?? false
    }

    mutating func append(_ bytes: [UInt8], dueAt: Int64) {
        pieces.append(Piece(bytes: bytes[...], dueAt: dueAt))
        waitingBytes += bytes.count
    }

    mutating func end(dueAt: Int64) {
        hasEnded = true
        endDueAt = dueAt
    }

    mutating func mayBeUnblocked() { isBlocked = false }

    /// Writes the bytes that are due, up to `limit`, and forwards the end after them.
    ///
    /// - Returns: the bytes written; nil when the receiver has closed.
    mutating func deliver(to receiver: TCPSocket, at now: Int64, limit: Int) -> Int? {
        var written = 0
        while !isBlocked, written < limit, let piece = pieces.first, piece.dueAt <= now {
            let part = piece.bytes.prefix(limit - written)
            guard let count = receiver.write(part) else { return nil }
            written += count
            waitingBytes -= count
            if count < part.count { isBlocked = true }
            if count == piece.bytes.count {
                pieces.removeFirst()
            } else {
                pieces[0].bytes = piece.bytes.dropFirst(count)
            }
        }
        if pieces.isEmpty, let endDueAt, endDueAt <= now, !isOver {
            receiver.finishWriting()
            isOver = true
        }
        return written
    }
}
