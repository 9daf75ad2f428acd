/// Which pings and probes got a response: a response counts once, however often it is reported.
///
/// A window over the last 64 probes, as IPsec keeps against replayed packets (RFC 4303, section 3.4.3). A
/// response to an earlier one comes too late to count.
struct ResponseWindow: Hashable, Codable, Sendable {
    private var newest: UInt64 = 0
    /// Bit 0 stands for `newest`, bit n for the probe n before it.
    private var responded: UInt64 = 0

    /// Records the response to the probe `sequence`.
    ///
    /// - Returns: whether it is the first one.
    mutating func book(_ sequence: UInt64) -> Bool {
        if sequence > newest {
            let distance = sequence - newest
            responded = distance < 64 ? responded << distance : 0
            newest = sequence
        }
        let age = newest - sequence
        guard age < 64 else { return false }
        let bit = UInt64(1) << age
        defer { responded |= bit }
        return responded & bit == 0
    }
}
