internal import LinuxRuntime
internal import Glibc
internal import Agent

/// Standard input line by line. Waiting for the next one holds up nobody.
struct InputLines {
    private let loop: EventLoop
    /// What was read and not yet handed out, and how far it was searched for a line's end.
    private var unread: ArraySlice<UInt8> = []
    private var searched = 0
    private var hasEnded = false
    /// A plain file is always ready, so that the loop does not watch it.
    private var isAlwaysReady = false

    private static let chunkBytes = 64 << 10

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// The next line without its end; nil behind the last one.
    mutating func next() async -> String? {
        while true {
            if let line = takeLine() { return line }
            guard !hasEnded else { return takeRest() }
            await waitForMore()
            if !hasEnded { readMore() }
        }
    }

    /// What came since the last call, as soon as there is some; nil behind the end. For keys, which have no
    /// lines yet.
    mutating func nextBytes() async -> [UInt8]? {
        while unread.isEmpty {
            guard !hasEnded else { return nil }
            await waitForMore()
            if !hasEnded { readMore() }
        }
        defer { (unread, searched) = ([], 0) }
        return Array(unread)
    }

    /// Reads on behind an end: a terminal's may be followed by more.
    mutating func goOn() { hasEnded = false }

    private mutating func takeLine() -> String? {
        let start = unread.startIndex + searched
        guard let end = unread[start...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = unread.count
            return nil
        }
        var line = unread[..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        unread = unread[(end + 1)...]
        searched = 0
        return String(decoding: line, as: UTF8.self)
    }

    private mutating func takeRest() -> String? {
        guard !unread.isEmpty else { return nil }
        defer { unread = [] }
        return String(decoding: unread, as: UTF8.self)
    }

    private mutating func waitForMore() async {
        guard !isAlwaysReady else { return }
        do {
            try await loop.waitUntilReady(STDIN_FILENO, for: .read)
        } catch is CancellationError {
            // Nothing is read for somebody who has gone: a terminal without a line would stop the loop.
            hasEnded = true
        } catch {
            isAlwaysReady = true
        }
    }

    private mutating func readMore() {
        var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
        let count = read(STDIN_FILENO, &chunk, chunk.count)
        if count > 0 {
            unread = ArraySlice(Array(unread) + chunk[..<count])
        } else {
            hasEnded = count == 0 || (errno != EINTR && errno != EAGAIN)
        }
    }
}
