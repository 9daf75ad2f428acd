/// Reversals by the number of a booking, as devices undo charges that have no other name for them.
///
/// They number their bookings from 1 to 9999 and then from the beginning again, some from 1 after each end of
/// day, and one in the place of another has numbers of its own. So a number is that of its charge only as
/// long as nothing shows that another customer's booking may have it by now.
extension DeviceRequest {
    /// How far the numbers behind a charge may be ahead of its own. Halved, a busy till refunds charges of
    /// the same day that it could undo; ten times as many are all numbers that there are.
    private static let nearNumbers: Int64 = 1_000
    private static let lastNumber: Int64 = 9_999

    /// Why a reversal by this charge's number may undo another booking; nil: it does not.
    ///
    /// - Parameters:
    ///   - present: the device that would undo it, with its newest booking.
    ///   - later: the numbers that the till saw of this device behind the charge's.
    package func obstacle(toReversalAt present: Origin, behind later: [Int64]) -> String? {
        guard let number = proof?.receipt else { return "the charge has no number at the machine" }
        guard let machine = proof?.machineId ?? origin?.machineId, machine == present.machineId else {
            return "another machine made the charge"
        }
        /// How many bookings ahead of the charge, if the device counted on.
        func distance(_ other: Int64) -> Int64 {
            let rest = (other - number) % Self.lastNumber
            return rest < 0 ? rest + Self.lastNumber : rest
        }
        let isCountedOn = later.allSatisfy { (1..<Self.nearNumbers).contains(distance($0)) }
        guard isCountedOn, present.lastReceipt.map(distance) ?? 0 < Self.nearNumbers else {
            return "the machine began again with its numbers"
        }
        return nil
    }
}
