import Foundation
import Glibc

/// Collects the lines that arrive on a descriptor, on a thread of its own.
package final class LineBuffer: @unchecked Sendable {
    // Guarded by `condition`.
    private let condition = NSCondition()
    private var received: [String] = []
    private var rest: [UInt8] = []
    private var hasEnded = false

    /// - Parameter descriptor: closed at its end; nil: at its end from the start.
    init(reading descriptor: Int32?) {
        guard let descriptor else {
            hasEnded = true
            return
        }
        Thread.detachNewThread { self.read(descriptor) }
    }

    /// The lines so far; after the end, an unfinished last one included.
    package var lines: [String] {
        condition.withLock { received }
    }

    /// The first line, past or to come within `seconds`, that `matches`.
    package func firstLine(within seconds: Double, where matches: (String) -> Bool) -> String? {
        let limit = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        var index = 0
        while true {
            while index < received.count {
                if matches(received[index]) { return received[index] }
                index += 1
            }
            if hasEnded || !condition.wait(until: limit) { return nil }
        }
    }

    /// The line at `index`, counted from 0, past or to come within `seconds`.
    package func line(at index: Int, within seconds: Double) -> String? {
        let limit = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while received.count <= index {
            if hasEnded || !condition.wait(until: limit) { break }
        }
        return index < received.count ? received[index] : nil
    }

    /// Whether the writer closed its end within `seconds`.
    package func waitForEnd(seconds: Double) -> Bool {
        let limit = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while !hasEnded {
            if !condition.wait(until: limit) { return false }
        }
        return true
    }

    private func read(_ descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            condition.withLock { take(buffer[0..<count]) }
        }
        close(descriptor)
        condition.withLock {
            if !rest.isEmpty { received.append(String(decoding: rest, as: UTF8.self)) }
            hasEnded = true
            condition.broadcast()
        }
    }

    private func take(_ bytes: ArraySlice<UInt8>) {
        rest.append(contentsOf: bytes)
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            received.append(String(decoding: rest[..<end], as: UTF8.self))
            rest.removeSubrange(...end)
        }
        condition.broadcast()
    }
}
