import Base
internal import OfflineCore
internal import MachineRuntime

/// Keys for sales that were queried without one.
public enum SaleKey {
    /// A fresh ULID of now.
    public static func mint() -> String {
        var generator = SystemRandomNumberGenerator()
        let milliseconds = UInt64(max(0, LinuxSystemTime().wallMilliseconds()))
        return ULID(milliseconds: milliseconds, using: &generator).description
    }
}
