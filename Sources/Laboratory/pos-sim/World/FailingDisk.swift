import Base
import CVirtualTime
import Foundation

/// A disk that cannot be written: one folder at a time, since the process has one such fault.
@MainActor
enum FailingDisk {
    private static var folder: String?
    private static var error: Int32 = 0

    static func fails(under path: String) -> Bool { folder == path }
    static var isAny: Bool { folder != nil }
    static var isFull: Bool { error == ENOSPC }

    /// - Parameter error: of each call that would write; `ENOSPC`, or `EIO` of those that make durable alone.
    ///   Nil: the disk is whole again.
    static func set(under path: String, failing error: Int32?) {
        (folder, self.error) = (error == nil ? nil : path, error ?? 0)
        act()
    }

    /// What the simulator itself writes does not fail.
    static func whole(_ work: () throws -> Void) rethrows {
        virtual_time_fail_writes(nil, 0)
        defer { act() }
        try work()
    }

    private static func act() { virtual_time_fail_writes(folder, error) }
}

/// The end of a write that the power cut.
enum UnfinishedWrite {
    /// Leaves it behind the end of the log at `path`, where there is one.
    static func leave(_ bytes: [UInt8], behind path: String) throws {
        guard !bytes.isEmpty, let handle = FileHandle(forUpdatingAtPath: path) else { return }
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(bytes))
        try handle.close()
    }

    /// A frame's begin and a part of its page, drawn.
    static func drawn(_ seed: UInt64) -> [UInt8] {
        var draw = SplitMix64(seed: seed)
        return (0..<(1 + Int(draw.below(8_000)))).map { _ in UInt8(draw.below(256)) }
    }
}
