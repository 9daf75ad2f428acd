import Base

internal import Foundation
internal import OfflineCore

/// Keys for sales that were asked without one.
public enum SaleKey {
    /// A fresh ULID of now.
    public static func mint() -> String {
        var generator = SystemRandomNumberGenerator()
        let milliseconds = UInt64(max(0, Date().timeIntervalSince1970 * 1000))
        return ULID(milliseconds: milliseconds, using: &generator).description
    }
}
