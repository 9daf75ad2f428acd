internal import CLinux

/// What a descriptor can do without blocking. An error or a hang-up counts as ready for both: the next call
/// returns it.
public struct Readiness: OptionSet, Hashable, Sendable {
    /// The sum of the members' bits.
    public let rawValue: UInt8

    /// Makes a set of the members whose bits are set.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Bytes, a connection or an end can be read without waiting.
    public static let read = Readiness(rawValue: 1)
    /// Bytes can be written without waiting.
    public static let write = Readiness(rawValue: 2)

    init(events: UInt32) {
        let hasFault = events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
        self = hasFault ? [.read, .write] : []
        if events & EPOLLIN.rawValue != 0 { insert(.read) }
        if events & EPOLLOUT.rawValue != 0 { insert(.write) }
    }

    var events: UInt32 {
        (contains(.read) ? EPOLLIN.rawValue : 0) | (contains(.write) ? EPOLLOUT.rawValue : 0)
    }
}
