import Base
import MachineRuntime
import Retail
import Synchronization
import TestKit
import Testing
import ZVT

@testable import Agent

/// What the adapter makes of the messages of a machine that is played by a table: for each command of the
/// till, in its order, the bytes that the machine sends then.
@Suite("A card machine that speaks ZVT, over a line of the test's")
struct ZVTCardMachineTests {
    private final class Line: DeviceLine {
        let state: Mutex<(sent: [[UInt8]], waiting: [UInt8], script: [String: [[UInt8]]])>

        /// Moved by a second for each wait in vain; nil: the line ends then.
        private let clock: HandClock?

        init(_ script: [String: [[UInt8]]], silentOn clock: HandClock? = nil) {
            state = Mutex(([], [], script))
            self.clock = clock
        }

        /// Class and instruction of the till's commands, without what it acknowledges.
        var commands: [String] { state.withLock { $0.sent.map(Self.control) }.filter { !$0.hasPrefix("8") } }
        /// What it sends for the machine's messages.
        var receipts: [String] { state.withLock { $0.sent.map(Self.control) }.filter { $0.hasPrefix("8") } }

        private static func control(_ bytes: [UInt8]) -> String {
            bytes.prefix(2).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }

        func send(_ bytes: [UInt8], until end: ContinuousClock.Instant) async -> Bool {
            state.withLock { state in
                state.sent.append(bytes)
                let control = Self.control(bytes)
                guard let next = state.script[control]?.first else { return }
                if state.script[control]?.count ?? 0 > 1 { state.script[control]?.removeFirst() }
                state.waiting += next
            }
            return true
        }

        /// The machine has no more to say: its line ends, or falls silent.
        func receive(until end: ContinuousClock.Instant) async -> [UInt8]? {
            let arrived = state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
            guard arrived.isEmpty else { return arrived }
            clock?.advance(by: .seconds(1))
            return clock == nil ? nil : []
        }
    }

    /// What is on disk of the machine's ends of day.
    private final class Periods: DevicePeriodKeeping {
        private let kept = Mutex(DevicePeriods())

        func periods(at address: String) async throws(StorageError) -> DevicePeriods { kept.withLock(\.self) }
        func keep(_ periods: DevicePeriods, at address: String) async throws(StorageError) {
            kept.withLock { $0 = periods }
        }
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        hex.split(separator: " ").compactMap { UInt8($0, radix: 16) }
    }

    private static let accepted = bytes("80 00 00")
    private static let done = bytes("06 0F 00")
    private static let ready = bytes("80 00 00 06 0F 01 00")

    private static func registered(_ currency: String = "09 78") -> [UInt8] {
        accepted + bytes("06 0F 0A 19 00 29 52 00 00 17 49 " + currency)
    }

    /// A booking of 0.05 EUR on 26 November at the time given, by its receipt number.
    private static func booking(
        _ receipt: String, at time: String = "12 05 00", result: String = "00", more: String = ""
    ) -> [UInt8] {
        let data = bytes(
            "27 \(result) 04 00 00 00 00 00 05 0C \(time) 0D 11 26 29 52 00 00 17 49 09 78 87 \(receipt) "
                + more)
        return [0x04, 0x0F, UInt8(data.count)] + data
    }

    private static func last(_ booking: [UInt8]) -> [UInt8] { accepted + booking + done }

    private let place: DeviceAddress
    private let clock = HandClock()
    private let periods = Periods()

    init() throws { place = try #require(DeviceAddress("tcp:127.0.0.1:20007")) }

    private func machine(_ line: Line?) -> ZVTCardMachine {
        ZVTCardMachine(
            place, password: .standard, silence: .seconds(180), time: clock, ledger: periods,
            connect: { _, _ in line },
            // Noon of 26 November 2026, whatever the clock of the test shows.
            localSeconds: { _ in 1_795_694_400 })
    }

    private func request(
        _ purpose: DeviceRequest.Purpose = .charge, origin: DeviceRequest.Origin? = nil
    ) -> DeviceRequest {
        DeviceRequest(
            purpose, key: "K", chargeKey: "K", amount: 5, currency: "EUR", openedAt: 0,
            state: origin == nil ? .intent : .unknown(detail: "cut"), origin: origin, reported: nil)
    }

    private var lost: DeviceRequest.Origin {
        DeviceRequest.Origin(
            kind: .zvt, address: place.text, machineId: "52000017", lastReceipt: 141,
            lastMoment: "1126 115000")
    }

    /// What was kept, in its order, and how it ended.
    private func perform(
        _ request: DeviceRequest, over line: Line?, original: DeviceProof? = nil, keeping: Bool = true,
        seen: Int64? = nil
    ) async -> (response: DeviceResponse, kept: [String]) {
        let kept = Mutex<[String]>([])
        let response = await machine(line).perform(
            request, original: original,
            DeviceSteps(
                open: { origin in
                    kept.withLock {
                        $0.append("open \(origin.machineId ?? "-") \(origin.lastReceipt ?? 0)")
                        if let moment = origin.lastMoment { $0[$0.count - 1] += " " + moment }
                    }
                    return keeping
                },
                report: { proof in
                    kept.withLock { $0.append("report \(proof.receipt ?? 0)") }
                    return true
                }, show: { _ in }, lastReceipt: { _ in seen }))
        return (response, kept.withLock(\.self))
    }

    @Test("a machine that does not show its newest booking is busy, or has the one that the till saw last")
    func unshown() async {
        let busy = Line(["0600": [Self.registered()], "0620": [Self.bytes("84 9C 00")]])
        #expect(await perform(request(), over: busy).response == .notSent(.busy))
        #expect(busy.commands == ["0600", "0620"])
        let silent = Line([
            "0600": [Self.registered()], "0620": [Self.bytes("84 83 00")], "0601": [Self.accepted],
        ])
        let (response, kept) = await perform(request(), over: silent, seen: 141)
        #expect(kept == ["open 52000017 141"])
        guard case .lost = response else { return #expect(Bool(false), "\(response)") }
        let before = Line([
            "0600": [Self.registered()], "0501": [Self.ready],
            "0620": [Self.last(Self.booking("01 41", at: "11 58 00"))],
        ])
        let origin = DeviceRequest.Origin(
            kind: .zvt, address: place.text, machineId: "52000017", lastReceipt: 141)
        let finding = await machine(before).find(
            request(origin: origin), original: nil, silence: .seconds(60))
        #expect(finding == .notDone(reason: "the machine did not book it"))
    }

    @Test("a payment is kept with the machine's newest booking, sent, and done as the machine says")
    func payment() async {
        let line = Line([
            "0600": [Self.registered()], "0620": [Self.last(Self.booking("01 41", at: "11 50 00"))],
            "0601": [
                Self.accepted + Self.booking("01 42", more: "06 09 2F 07 1F 11 01 00 1F 12 00") + Self.done
            ],
        ])
        let (response, kept) = await perform(request(), over: line)
        guard case .done(let proof) = response else {
            Issue.record("\(response)")
            return
        }
        #expect(proof.reference == "142" && proof.machineId == "52000017")
        #expect(proof.isOffline, "the machine took it without the bank")
        #expect(kept == ["open 52000017 141 1126 115000", "report 142"])
        #expect(line.commands == ["0600", "0620", "0601"])
    }

    @Test(
        "a machine that is busy, of another currency, away, or whose booking cannot be seen takes nothing",
        arguments: [
            ("09 78", bytes("84 9C 00"), DeviceTrouble.busy), ("07 56", accepted, .refused),
            ("09 78", [], .unreachable),
        ] as [(String, [UInt8], DeviceTrouble)])
    func notSent(currency: String, command: [UInt8], trouble: DeviceTrouble) async {
        let isSilent = command.isEmpty
        let line = Line([
            "0600": [Self.registered(currency)], "0601": [command],
            "0620": isSilent ? [] : [Self.last(Self.booking("01 41"))],
        ])
        let (response, kept) = await perform(request(), over: line)
        #expect(response == .notSent(trouble))
        #expect(kept.count == (trouble == .busy ? 1 : 0))
        #expect(await perform(request(), over: nil).response == .notSent(.unreachable))
    }

    @Test("what a registration says: busy in its status, another currency beside it, or no terminal id")
    func registrations() async {
        func kept(_ registration: String, _ refusal: DeviceTrouble? = nil) async -> [String] {
            let line = Line([
                "0600": [Self.bytes("80 00 00 " + registration)], "0620": [Self.last(Self.booking("01 41"))],
                "0601": [Self.bytes("84 83 00")],
            ])
            let (response, kept) = await perform(request(), over: line)
            guard let refusal else {
                // A machine that refuses the command has not begun.
                guard case .declined = response else {
                    Issue.record("\(response)")
                    return kept
                }
                return kept
            }
            #expect(response == .notSent(refusal), "\(registration)")
            return kept
        }
        #expect(await kept("06 0F 02 19 9C", .busy) == [])
        #expect(await kept("06 1E 01 9D", .busy) == [])
        #expect(await kept("06 1E 01 83", .refused) == [])
        #expect(await kept("04 0F 05 27 00 49 07 56 06 0F 00", .refused) == [])
        // Then it says so with its bookings.
        #expect(await kept("06 0F 02 19 00").first?.hasPrefix("open 52000017 141") == true)
    }

    @Test("a look, and the machine's own end of day, say what the machine says")
    func looks() async {
        let busy = Line(["0600": [Self.registered()], "0501": [Self.bytes("80 00 00 06 0F 01 9C")]])
        #expect(await machine(busy).look(currency: "EUR").trouble == .busy)
        let ready = Line([
            "0600": [Self.registered()], "0501": [Self.ready], "0620": [Self.last(Self.booking("01 41"))],
        ])
        let look = await machine(ready).look(currency: "EUR")
        #expect(look.trouble == nil && look.last?.receipt == 141 && look.machineId == "52000017")
        func close(_ response: [UInt8]) async -> Result<ClosedDeviceDay, DeviceTrouble> {
            let line = Line(["0600": [Self.registered()], "0650": [response]])
            return await machine(line).closeDay(currency: "EUR")
        }
        #expect(
            await close(Self.last(Self.booking("01 41")))
                == .success(ClosedDeviceDay(sum: 5, machineId: "52000017")))
        #expect(await close(Self.bytes("84 9C 00")) == .failure(.busy))
        #expect(await close(Self.accepted) == .failure(.unreachable))
        // That one may have closed a part, whatever was refused since.
        #expect(await close(Self.bytes("80 00 00 06 1E 01 64")) == .failure(.refused))
        for isSecond in [true, false] {
            #expect(
                await close(Self.last(Self.booking("01 41")))
                    == .success(ClosedDeviceDay(sum: 5, machineId: "52000017", mayBeSecond: isSecond)))
        }
    }

    @Test("what the disk does not take is not sent, and a completion without a booking is no payment")
    func unproven() async {
        func line(_ payment: [UInt8]) -> Line {
            Line([
                "0600": [Self.registered()], "0620": [Self.last(Self.booking("01 41"))],
                "0601": [Self.accepted + payment],
            ])
        }
        let full = line(Self.booking("01 42") + Self.done)
        #expect(await perform(request(), over: full, keeping: false).response == .notSent(.notKept))
        #expect(!full.commands.contains("0601"))
        for payment in [Self.done, Self.booking("01 42"), []] {
            guard case .lost = await perform(request(), over: line(payment)).response else {
                Issue.record("\(payment) is a result")
                continue
            }
        }
        let declined = Self.booking("01 42", result: "05") + Self.done
        guard case .declined = await perform(request(), over: line(declined)).response else {
            Issue.record("a booking that was declined is done")
            return
        }
    }

    @Test("a line that falls silent at any message is left in time: before the payment nothing was sent")
    func silent() async {
        let messages = [Self.accepted, Self.bytes("04 FF 01 0A"), Self.booking("01 42"), Self.done]
        for count in 0..<messages.count {
            let line = Line(
                [
                    "0600": [Self.registered()], "0620": [Self.last(Self.booking("01 41"))],
                    "0601": [Array(messages.prefix(count).joined())],
                ], silentOn: clock)
            let begun = clock.now()
            let (response, kept) = await perform(request(), over: line)
            guard case .lost = response else {
                Issue.record("\(response) after \(count) messages")
                continue
            }
            #expect(kept.first == "open 52000017 141 1126 120500")
            // A command's receipt is due in 5 s; each message within 180 s, and an abort's end within 30.
            #expect(clock.now() - begun == .seconds(count == 0 ? 5 : 210), "\(count) messages")
            #expect(line.commands == ["0600", "0620", "0601"] + (count == 0 ? [] : ["06b0"]))
        }
        for script in [[:], ["0600": [Self.accepted]], ["0600": [Self.registered()]]] as [[String: [[UInt8]]]]
        {
            let line = Line(script, silentOn: clock)
            let (response, kept) = await perform(request(), over: line)
            #expect(response == .notSent(.unreachable) && kept == [], "\(script.keys)")
            #expect(!line.commands.contains("0601"))
        }
    }

    @Test("a reversal names the receipt of its charge, and without one nothing is sent")
    func reversal() async throws {
        func line() -> Line {
            Line([
                "0600": [Self.registered()], "0620": [Self.last(Self.booking("01 42"))],
                "0630": [Self.accepted + Self.booking("01 43", more: "37 00 01 42") + Self.done],
            ])
        }
        var charge = DeviceProof(reference: "142")
        #expect(
            await perform(request(.reversal), over: line(), original: charge).response == .notSent(.refused))
        charge.receipt = 142
        let sent = line()
        guard case .done = await perform(request(.reversal), over: sent, original: charge).response else {
            Issue.record("not reversed")
            return
        }
        let command = try #require(sent.state.withLock { $0.sent.first { $0[1] == 0x30 } })
        #expect(Array(command[6...8]) == [0x87, 0x01, 0x42])
    }

    @Test("a lost response is found by the machine's last booking, once the machine is ready")
    func found() async {
        func find(
            _ status: [UInt8], _ last: [UInt8]..., purpose: DeviceRequest.Purpose = .charge,
            after silence: Int64 = 5
        ) async -> DeviceFinding {
            let line = Line(["0600": [Self.registered()], "0501": [status], "0620": last])
            return await machine(line).find(
                request(purpose, origin: lost), original: nil, silence: .seconds(silence))
        }
        let new = Self.last(Self.booking("01 42"))
        let old = Self.last(Self.booking("01 41", at: "11 50 00"))
        let paper = Self.bytes("06 D3 0E 06 0C 1F 07 01 02 25 06 07 04 54 45 58 54")
        func papers(_ receipt: String) -> [UInt8] {
            Self.accepted + Self.booking(receipt) + paper + Self.done
        }
        guard case .done(let proof) = await find(Self.ready, new, papers("01 42")) else {
            Issue.record("the booking is not found")
            return
        }
        #expect(proof.receipt == 142 && proof.customerPaper == ["TEXT"])
        // Somebody else's came in between.
        guard case .done(let bare) = await find(Self.ready, new, papers("01 43")) else {
            Issue.record("the booking is not found")
            return
        }
        #expect(bare.receipt == 142 && bare.customerPaper.isEmpty)
        #expect(await find(Self.ready, old) == .open(detail: "the machine may still be at it"))
        #expect(
            await find(Self.ready, old, after: 60) == .notDone(reason: "the machine did not book it"))
        let busy = Self.bytes("80 00 00 06 0F 01 9C")
        #expect(await find(busy, new) == .open(detail: "busy"))
        #expect(await find(Self.bytes("84 9C 00"), new) == .open(detail: "busy"))
        // Lines that end before the machine said anything prove nothing, and are tried again.
        #expect(await find([], new) == .open(detail: "busy"))
        #expect(await find(Self.ready, Self.accepted) == .open(detail: "the last booking was not read"))
        // Some machines say it in a status information.
        #expect(
            await find(Self.bytes("80 00 00 04 0F 02 27 00 06 0F 00"), old, after: 60)
                == .notDone(reason: "the machine did not book it"))
        for status in [Self.bytes("84 83 00"), Self.bytes("80 00 00 06 0F 00")] {
            guard case .undecidable = await find(status, new) else {
                Issue.record("a machine without an enquiry proves something")
                continue
            }
        }
    }

    @Test("a reversal is found as what was requested, and proves that a charge was not made")
    func foundReversal() async {
        let reversal = Self.last(Self.booking("01 42", more: "37 00 01 41"))
        func find(_ purpose: DeviceRequest.Purpose) async -> DeviceFinding {
            let line = Line(["0600": [Self.registered()], "0501": [Self.ready], "0620": [reversal]])
            return await machine(line).find(
                request(purpose, origin: lost), original: nil, silence: .seconds(5))
        }
        #expect(await find(.charge) == .notDone(reason: "the machine did not book it"))
        guard case .done = await find(.reversal) else {
            Issue.record("the reversal is not found")
            return
        }
    }

    @Test("a machine that has no booking, or said no terminal id before, proves nothing")
    func undecidable() async {
        let none = Line([
            "0600": [Self.registered()], "0501": [Self.ready],
            "0620": [Self.accepted + Self.bytes("06 1E 01 64")],
        ])
        for origin in [lost, DeviceRequest.Origin(kind: .zvt, address: place.text)] {
            guard
                case .undecidable = await machine(none).find(
                    request(origin: origin), original: nil, silence: .seconds(100))
            else {
                Issue.record("it proves something")
                continue
            }
        }
    }
}
