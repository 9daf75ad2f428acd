import Base

internal import OfflineCore
public import MachineRuntime

/// A moment by both clocks of the machine. A person can set the one and restart the other; a rule that uses
/// the stricter of both withstands either.
public struct MachineMoment: Hashable, Sendable {
    /// Unix milliseconds.
    public let wall: Int64
    /// Milliseconds of the boot clock, which also counts while the machine is suspended.
    public let boot: Int64
    /// Names the boot that ``boot`` counts from; empty where the system has no name for it.
    public let bootId: String

    /// Restores a stored moment; `bootId` may be empty.
    public init(wall: Int64, boot: Int64, bootId: String) {
        self.wall = wall
        self.boot = boot
        self.bootId = bootId
    }

    /// The present moment by the machine's own clocks, whatever clock `time` follows otherwise.
    public init(_ time: any SystemTime) {
        let awake = time.now() - Instant(nanoseconds: 0)
        self.init(
            wall: time.machineWallMilliseconds(), boot: (awake + time.suspended()).wholeMilliseconds,
            bootId: time.bootId)
    }

    /// The time until `now` that both clocks have counted, in milliseconds: for a wait that no clock change
    /// may shorten.
    ///
    /// After another boot at least the time since then has passed. A wall clock that was set back reports
    /// nothing, and the boot clock alone counts.
    public func leastPassed(until now: MachineMoment) -> Int64 {
        let byBoot = bootId == now.bootId ? now.boot - boot : now.boot
        let byWall = now.wall.subtractingReportingOverflow(wall)
        guard !byWall.overflow, byWall.partialValue >= 0 else { return max(0, byBoot) }
        return max(0, min(byBoot, byWall.partialValue))
    }

    /// The time until `now` that either clock may have counted, in milliseconds: for a right that no clock
    /// change may extend.
    ///
    /// After another boot and with a wall clock before the first moment the time is unknown, and counts as
    /// unlimited.
    public func mostPassed(until now: MachineMoment) -> Int64 {
        let byWall = now.wall.subtractingReportingOverflow(wall)
        guard !byWall.overflow else { return .max }
        if bootId == now.bootId { return max(0, now.boot - boot, byWall.partialValue) }
        return byWall.partialValue >= 0 ? byWall.partialValue : .max
    }
}
