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
