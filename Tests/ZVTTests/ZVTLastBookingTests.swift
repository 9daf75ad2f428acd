import Testing
import ZVT

@Suite("A payment of ZVT whose answer was lost")
struct ZVTLastBookingTests {
    /// 2026-11-25 14:05:11 on the machine's clock.
    private let intent: Int64 = 1_795_615_511
    private let good = "27 00 04 00 00 00 00 23 47 0C 14 05 32 0D 11 25 29 52 00 00 17 49 09 78 87 01 42"

    private func proof(
        _ booking: String, last: Int64? = 141, at moment: String? = nil, intent: Int64? = nil,
        isReversal: Bool = false, silence: Int64? = 60
    ) -> ZVTPaymentProof {
        let payment = ZVTOpenPayment(
            terminal: 52_000_017, amount: 2347, currency: 978, lastReceipt: last,
            lastMoment: moment, intent: intent ?? self.intent)
        return payment.proof(
            by: ZVTFields(Dialogue.bytes(booking)), isReversal: isReversal, silence: silence)
    }

    private func changed(_ part: String, _ other: String) -> String {
        let parts = good.split(separator: part, maxSplits: 1, omittingEmptySubsequences: false)
        return parts.joined(separator: other)
    }

    @Test("A booking that is new, approved, ours and not older than the intent is the charge")
    func charged() {
        #expect(proof(good) == .charged)
        #expect(proof(good, silence: 0) == .charged)
        #expect(proof(good, last: nil) == .charged)
        // Receipt numbers begin again after 9999.
        #expect(proof(good, last: 9999) == .charged)
        #expect(proof(good, intent: intent + 300) == .charged)
    }

    @Test("The booking seen before proves that nothing was charged, once the machine has settled")
    func notCharged() {
        let before = "1125 140532"
        #expect(proof(good, last: 142, at: before) == .notCharged)
        #expect(proof(good, last: 142, at: before, silence: 59) == .undecided)
        #expect(proof(changed("27 00", "27 6C")) == .notCharged)
        #expect(proof(good, isReversal: true) == .notCharged)
    }

    @Test("A number that was used before is the same booking where its date and time are the same")
    func beginsAgain() {
        #expect(proof(good, last: 142, at: "1125 140532") == .notCharged)
        #expect(proof(good, last: 142, at: "1125 140501") == .charged)
        #expect(proof(good, last: 142, at: "1125 140501", intent: intent + 322) == .undecided)
        // The machine showed no booking before, and now one of the number that this till saw last.
        #expect(proof(good, last: 142) == .undecided)
        #expect(proof(good, last: 142, intent: intent + 22) == .notCharged, "made before the payment")
        #expect(proof(changed(" 0C 14 05 32", ""), last: 142) == .notCharged, "it says no time")
    }

    @Test("Anything else is decided by a person")
    func undecided() {
        #expect(proof(good, silence: nil) == .undecided)
        #expect(proof(good, intent: intent + 322) == .undecided)
        #expect(proof(changed("23 47", "23 48")) == .undecided)
        #expect(proof(changed("09 78", "08 26")) == .undecided)
        #expect(proof(changed("52 00 00 17", "52 00 00 18")) == .undecided)
        #expect(proof(changed("52 00 00 17", "52 00 00 18"), last: 142) == .undecided)
        #expect(proof(changed("27 00 ", "")) == .undecided)
        #expect(proof(changed(" 87 01 42", "")) == .undecided)
        #expect(proof(changed("0D 11 25 ", "")) == .undecided)
        #expect(proof(changed("0D 11 25", "0D 13 25")) == .undecided)
        #expect(proof(changed("0C 14 05 32", "0C 24 05 32")) == .undecided)
        #expect(proof(good + " 77") == .undecided)
        #expect(proof("") == .undecided)
    }

    @Test("A booking after midnight of the last day of the year is after an intent before it")
    func newYear() {
        // 2026-12-31 23:59:50, and 1 January at 00:00:20.
        let after = "27 00 04 00 00 00 00 23 47 0C 00 00 20 0D 01 01 29 52 00 00 17 49 09 78 87 01 42"
        #expect(proof(after, intent: 1_798_761_590) == .charged)
        #expect(proof(after, intent: 1_798_761_590 + 86_400) == .undecided)
    }
}
