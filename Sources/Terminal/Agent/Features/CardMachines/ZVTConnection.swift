import Base

internal import MachineRuntime
internal import Retail
internal import ZVT

/// One connection to a machine.
struct ZVTConnection: Sendable {
    let stream: any DeviceLine
    let time: any SystemTime
    /// As the machine said with the registration; nil: it said none.
    var terminal: Int64?

    /// How long a request to give up may go unnoticed, and a deadline. Halved, a payment wakes its thread
    /// twice as often; doubled, Esc takes noticeably long.
    private static let look = Duration.milliseconds(100)
    /// For the kernel to take some hundred bytes.
    private static let sendTime = Duration.seconds(5)

    /// Sends a command and performs its dialogue to the end. A cancelled task leaves it: what the machine
    /// does then is found out by its last booking.
    ///
    /// - Parameter giveUp: sends the machine's abort; the machine says how it ended.
    func run(
        _ command: ZVTCommand, _ dialogue: ZVTDialogue, giveUp: GiveUp? = nil,
        keeping keep: @Sendable (ZVTFields, [ZVTPaper]) async -> Bool,
        showing show: @Sendable (UInt8) -> Void
    ) async -> ZVTDialogue.End {
        guard let bytes = command.packet?.bytes else { return .refused(0x83) }
        guard await stream.send(bytes, until: .now + Self.sendTime) else { return .lost(.connectionEnded) }
        var (dialogue, framing) = (dialogue, ZVTFraming())
        while !Task.isCancelled {
            var events = await arrived(&framing)
            if giveUp?.isRequested == true { events.insert(.abortWanted, at: 0) }
            for event in events {
                var effects = dialogue.handle(event, at: time.now())[...]
                while let effect = effects.popFirst() {
                    switch effect {
                    case .send(let packet):
                        // A line that takes nothing ends, and that is an event of its own.
                        guard let bytes = packet.bytes else { break }
                        _ = await stream.send(bytes, until: .now + Self.sendTime)
                    case .keep(let fields, let paper):
                        effects += dialogue.handle(.kept(await keep(fields, paper)), at: time.now())
                    case .show(let code): show(code)
                    case .end(let end): return end
                    }
                }
            }
        }
        return .lost(.connectionEnded)
    }

    /// What the next bytes say, or that time has passed.
    private func arrived(_ framing: inout ZVTFraming) async -> [ZVTDialogue.Event] {
        guard let bytes = await stream.receive(until: .now + Self.look),
            let packets = try? framing.packets(after: bytes)
        else { return [.connectionEnded] }
        // Time passes too while a machine sends, byte by byte perhaps.
        return packets.map { .received(ZVTMessage($0)) } + [.timeAdvanced]
    }
}
