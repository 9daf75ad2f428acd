/// Names one ping or probe: answers that carry an older epoch are recorded and change nothing.
public struct ProbeTag: Hashable, Sendable {
    /// Advanced by every change of the path and by every time the terminal slept.
    public let epoch: UInt64
    /// Counts pings and probes up over the whole life of the machine.
    public let sequence: UInt64

    public init(epoch: UInt64, sequence: UInt64) {
        self.epoch = epoch
        self.sequence = sequence
    }
}
