package import HubProtocol

/// In what a device counts towards its end of day, as its responses name it.
package struct DevicePeriods: Fact, Hashable {
    /// Nil: no response named one since the last end of day.
    package var current: String?
    /// Its end was requested, and no response said that it was made: the device may have closed it.
    package var ending: String?

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("current", &current, .valid)
        try m.text("ending", &ending, .valid)
    }
}

/// Keeps the periods of a device. Every change is durable on return.
package protocol DevicePeriodKeeping: Sendable {
    /// - Parameter address: as configured.
    func periods(at address: String) async throws(StorageError) -> DevicePeriods

    func keep(_ periods: DevicePeriods, at address: String) async throws(StorageError)
}
