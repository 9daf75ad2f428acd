/// Which pings and probes were answered: an answer counts once, however often it is told.
///
/// A window over the last 64 questions, as IPsec keeps against replayed packets (RFC 4303, section 3.4.3). An
/// answer to one before them comes too late to tell anything.
struct AnswerWindow: Hashable, Codable, Sendable {
    private var newest: UInt64 = 0
    /// Bit 0 stands for `newest`, bit n for the question n before it.
    private var answered: UInt64 = 0

    /// Books the answer to question `sequence`; whether it is the first.
    mutating func book(_ sequence: UInt64) -> Bool {
        if sequence > newest {
            let distance = sequence - newest
            answered = distance < 64 ? answered << distance : 0
            newest = sequence
        }
        let age = newest - sequence
        guard age < 64 else { return false }
        let bit = UInt64(1) << age
        defer { answered |= bit }
        return answered & bit == 0
    }
}
