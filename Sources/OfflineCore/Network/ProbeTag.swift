/// Identifies one ping or probe: responses that carry an older path id are recorded and change nothing.
public struct ProbeTag: Hashable, Sendable {
    /// The path id: increased by every change of the path and by every suspension of the terminal.
    public let epoch: UInt64
    /// Counts pings and probes of the machine from its start.
    public let sequence: UInt64

    public init(epoch: UInt64, sequence: UInt64) {
        self.epoch = epoch
        self.sequence = sequence
    }
}
