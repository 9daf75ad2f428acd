import Agent
import Base
import MachineRuntime

/// A connection between a till and its card machine, inside the process of a world.
@MainActor
final class MachineLine {
    private let time: SimulatedTime
    private var toTill: [UInt8] = []
    private var toMachine: [UInt8] = []
    private(set) var isShut = false

    /// How long a message is on its way, and how long one looks for the next.
    private static let step = Duration.milliseconds(50)

    init(time: SimulatedTime) { self.time = time }

    /// Cuts it: what is on its way is lost.
    func shut() { (isShut, toTill, toMachine) = (true, [], []) }

    /// The till sends.
    fileprivate func take(_ bytes: [UInt8]) -> Bool {
        guard !isShut else { return false }
        toMachine += bytes
        return true
    }

    /// The till receives.
    fileprivate func give(within limit: Duration) async -> [UInt8]? {
        if toTill.isEmpty, !isShut { await pause(limit) }
        guard !isShut else { return nil }
        defer { toTill = [] }
        return toTill
    }

    func send(_ bytes: [UInt8]) { if !isShut { toTill += bytes } }

    /// Sends a message that the till has to acknowledge.
    ///
    /// - Returns: whether it did, in whatever words.
    @discardableResult
    func post(_ bytes: [UInt8]) async -> Bool { await exchange(bytes) != nil }

    /// The till's response within 30 s, the time of the specification; nil: none.
    func exchange(_ bytes: [UInt8]) async -> UInt16? {
        send(bytes)
        return await next(within: .seconds(30))?.control
    }

    /// The till's next message; nil at the line's end or the limit.
    func next(within limit: Duration) async -> (control: UInt16, data: [UInt8])? {
        let end = time.now() + limit
        while !isShut, time.now() < end {
            if toMachine.count >= 3, toMachine.count >= 3 + Int(toMachine[2]) {
                let length = Int(toMachine[2])
                let control = UInt16(toMachine[0]) << 8 | UInt16(toMachine[1])
                let data = Array(toMachine[3..<3 + length])
                toMachine.removeFirst(3 + length)
                return (control, data)
            }
            await pause(Self.step)
        }
        return nil
    }

    private func pause(_ duration: Duration) async { try? await time.sleep(until: time.now() + duration) }
}

/// The till's end of it: the connection ends with its last reference.
final class TillLine: DeviceLine {
    private let line: MachineLine

    init(_ line: MachineLine) { self.line = line }

    deinit {
        let line = line
        Task { @MainActor in line.shut() }
    }

    func send(_ bytes: [UInt8], until end: ContinuousClock.Instant) async -> Bool { await line.take(bytes) }

    func receive(until end: ContinuousClock.Instant) async -> [UInt8]? {
        await line.give(within: ContinuousClock.now.duration(to: end))
    }
}
