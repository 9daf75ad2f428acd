import Base
import MachineRuntime

/// The card machine of a till, with its own ledger and shoppers: a terminal that speaks nexo or ZVT. It goes
/// on whatever becomes of the till, and shares no code with it.
@MainActor
final class CardTerminal {
    /// Of every shopper's card. It says the whole number where the till should get its end alone.
    nonisolated static let cardNumber = "4929123456789015"

    /// Money that moved.
    struct Booking {
        let approval: String
        /// What the till called it; nil in ZVT, which has no name for it.
        let key: String?
        /// The number on the paper.
        let receipt: Int
        /// Minor units.
        let amount: Int64
        /// What went back of it.
        var back: Int64 = 0

        var held: Int64 { amount - back }
    }

    var bookings: [Booking] = []
    /// What went back to cards without the name of a booking, as ZVT has it: minor units.
    var unlinked: Int64 = 0
    let world: World
    let till: Int
    let time: SimulatedTime
    private(set) var draw: SplitMix64
    /// How many faults of each kind act on it.
    private var acting: [FaultKind: Int] = [:]
    /// Whether a shopper is at it.
    var isRunning = false
    /// Grows with each of its restarts.
    private(set) var starts = 0
    /// Whether the till's process is gone: what it does after that nobody has.
    var isCutOff = false {
        didSet { if isCutOff { breakLines() } }
    }
    /// What a terminal of nexo remembers.
    var nexo = NexoMemory()
    /// What a terminal of ZVT remembers.
    var zvt = ZVTMemory()

    init(_ world: World, till: Int, seed: UInt64, time: SimulatedTime) {
        (self.world, self.till, self.time) = (world, till, time)
        draw = SplitMix64(seed: seed)
    }

    func begin(_ kind: FaultKind) { acting[kind, default: 0] += 1 }
    func end(_ kind: FaultKind) { acting[kind, default: 1] -= 1 }

    /// What it is at work with is over, and nothing is booked of it.
    func restart() {
        if isRunning { world.count(.machineRestart) }
        starts += 1
        isRunning = false
        breakLines()
    }

    private func breakLines() {
        for line in zvt.lines { line.shut() }
        zvt.lines = []
    }

    func acts(_ kind: FaultKind, oneIn chance: UInt64 = 1) -> Bool {
        guard acting[kind, default: 0] > 0, draw.below(chance) == 0 else { return false }
        world.count(kind)
        return true
    }

    /// Charges less what went back, in minor units.
    var held: Int64 { bookings.reduce(-unlinked) { $0 + $1.held } }

    func pause(_ duration: Duration) async { try? await time.sleep(until: time.now() + duration) }

    /// Half a second in which the shopper looks for the card.
    func shop() async { await pause(.milliseconds(500)) }

    /// How many half seconds the next shopper takes.
    func halfSeconds() -> Int { 5 + Int(draw.below(40)) }

    func book(_ amount: Int64, key: String?, receipt: Int = 0) -> Booking {
        let booking = Booking(
            approval: "A\(till)-\(bookings.count + 1)", key: key, receipt: receipt, amount: amount)
        bookings.append(booking)
        world.trace.note("machine \(till)", "charged \(booking.approval) \(amount)")
        return booking
    }

    func giveBack(_ amount: Int64, of place: Int) {
        bookings[place].back += amount
        world.trace.note("machine \(till)", "gave back \(bookings[place].approval) \(amount)")
        if bookings[place].held < 0 {
            world.fail("nothing goes back twice", "\(bookings[place])")
        }
    }
}
