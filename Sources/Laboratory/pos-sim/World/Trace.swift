import CVirtualTime
import Foundation

/// What happens in a world, in order: a hash of it, and its lines for people.
@MainActor
final class Trace {
    /// FNV-1a of all lines.
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var events: UInt64 = 0
    private let isShown: Bool

    /// - Parameter isShown: whether each line is printed as it comes.
    init(isShown: Bool) { self.isShown = isShown }

    /// Milliseconds since the world began.
    static var now: Int64 { virtual_time_passed() / 1_000_000 }

    func note(_ who: String, _ what: String) {
        events += 1
        let line = "\(Self.now) \(who) \(what)"
        for byte in line.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        if isShown {
            FileHandle.standardOutput.write(Data("\(Self.clock) \(who): \(what)\n".utf8))
        }
    }

    /// Day and time of the shop, as `1 08:15:02.125`.
    private static var clock: String {
        let milliseconds = now + 8 * 3_600_000
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let seconds = milliseconds / 1000 % 86_400
        let thousandths = String(1000 + milliseconds % 1000).dropFirst()
        return "\(1 + milliseconds / 86_400_000) \(two(seconds / 3600)):\(two(seconds / 60 % 60)):"
            + "\(two(seconds % 60)).\(thousandths)"
    }
}
