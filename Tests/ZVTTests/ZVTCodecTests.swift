import Base
import Testing
import ZVT

@Suite("Messages of ZVT")
struct ZVTCodecTests {
    private let password: ZVTPassword

    init() throws {
        password = try #require(Dialogue.password)
    }

    @Test("The till's commands have the bytes of the specification")
    func commands() {
        expect(
            .registration(password: password, currency: 978),
            "06 00 10 00 00 00 BE 09 78 03 01 06 06 26 04 0A 02 06 D3")
        expect(.authorisation(amount: 2347, currency: 978), "06 01 0C 04 00 00 00 00 23 47 49 09 78 19 40")
        expect(
            .reversal(password: password, receipt: 142, amount: 2347, currency: 978),
            "06 30 10 00 00 00 87 01 42 04 00 00 00 00 23 47 49 09 78")
        expect(
            .refund(password: password, amount: 990, currency: 978),
            "06 31 0D 00 00 00 04 00 00 00 00 09 90 49 09 78")
        expect(.endOfDay(password: password), "06 50 03 00 00 00")
        expect(.statusEnquiry(password: password), "05 01 05 00 00 00 03 02")
        expect(.repeatReceipt(password: password), "06 20 05 00 00 00 03 03")
        expect(.repeatReceipt(password: password, prints: true), "06 20 05 00 00 00 03 01")
        expect(.abort, "06 B0 00")
    }

    private func expect(_ command: ZVTCommand, _ hex: String) {
        #expect(command.packet?.bytes == Dialogue.bytes(hex))
    }

    @Test("A command outside of its range is none")
    func ranges() {
        for amount in [Int64.min, -1, 0, 1_000_000_000_000, .max] {
            #expect(ZVTCommand.authorisation(amount: amount, currency: 978).packet == nil)
        }
        #expect(ZVTCommand.authorisation(amount: 999_999_999_999, currency: 978).packet != nil)
        #expect(ZVTCommand.authorisation(amount: 1, currency: 1000).packet == nil)
        for receipt: Int64 in [0, 10_000] {
            let reversal = ZVTCommand.reversal(
                password: password, receipt: receipt, amount: 1, currency: 978)
            #expect(reversal.packet == nil)
        }
        for digits in ["", "12345", "1234567", "12345x", "١٢٣٤٥٦"] { #expect(ZVTPassword(digits) == nil) }
    }

    @Test("No text shows a password")
    func passwordIsHidden() throws {
        let password = try #require(ZVTPassword("739154"))
        let command = ZVTCommand.endOfDay(password: password)
        #expect(!"\(command) \(String(reflecting: command))".contains("739154"))
        #expect(command.packet?.bytes == Dialogue.bytes("06 50 03 73 91 54"))
    }

    @Test("A payment's messages are the same wherever TCP cuts them")
    func framing() throws {
        let whole = try Dialogue.messages(Dialogue.machine)
        #expect(whole.count == 7)
        for cut in 0...Dialogue.machine.count {
            var framing = ZVTFraming()
            let first = try framing.packets(after: Dialogue.machine.prefix(cut))
            let second = try framing.packets(after: Dialogue.machine.dropFirst(cut))
            #expect((first + second).map { ZVTMessage($0) } == whole)
            #expect(!framing.isWithinPacket)
        }
        var framing = ZVTFraming()
        var single: [ZVTPacket] = []
        for byte in Dialogue.machine { single += try framing.packets(after: [byte]) }
        #expect(single.map { ZVTMessage($0) } == whole)
    }

    @Test("Long packets have the lower byte of their length first; a longer one than the limit ends the line")
    func longPackets() throws {
        for length in [0, 254, 255, 256, ZVTFraming.longestData] {
            let packet = ZVTPacket(0x06D3, [UInt8](repeating: 7, count: length))
            var framing = ZVTFraming()
            #expect(try framing.packets(after: #require(packet.bytes)) == [packet])
        }
        let long = ZVTPacket(0x06D3, [UInt8](repeating: 7, count: 300))
        #expect(long.bytes?.prefix(5) == [6, 0xD3, 0xFF, 44, 1])
        let tooLong = ZVTPacket(0x06D3, [UInt8](repeating: 7, count: ZVTFraming.longestData + 1))
        #expect(tooLong.bytes == nil)
        var framing = ZVTFraming()
        #expect(throws: ZVTFault.tooLong) { try framing.packets(after: [6, 0xD3, 0xFF, 0x01, 0x40]) }
    }

    @Test("The machine's messages are read")
    func payment() throws {
        let messages = try Dialogue.messages(Dialogue.machine)
        #expect(messages[0] == .accepted)
        guard case .completed(nil, let registered) = messages[1] else {
            Issue.record("no registration: \(messages[1])")
            return
        }
        #expect(registered.status == 0)
        #expect(registered.terminal == 52_000_017)
        #expect(messages[3] == .progress(0x0A, minutes: 1))
        guard case .status(let fields) = messages[4] else {
            Issue.record("no status information: \(messages[4])")
            return
        }
        #expect(fields.isWhole)
        #expect(fields.result == 0)
        #expect(fields.amount == 2347)
        #expect(fields.currency == 978)
        #expect(fields.trace == 318)
        #expect(fields.receipt == 142)
        #expect(fields.time == 140_532)
        #expect(fields.date == 1125)
        #expect(fields.approval == "771204")
        #expect(fields.cardName == "MASTERCARD")
        #expect(fields.cardType == 6)
        #expect(fields.holderCheck == 0)
        #expect(fields.isOnline == true)
        #expect(messages[5] == .printBlock(ZVTPaper(kind: 2, lines: ["HOLDFAST TEST", "EUR 23,47"])))
        #expect(messages[6] == .completed(status: nil, ZVTFields([UInt8]())))
        let ends = try Dialogue.messages(Dialogue.bytes("06 0F 01 9C 06 1E 01 6C 84 9C 00"))
        #expect(ends[0] == .completed(status: 0x9C, ZVTFields([UInt8]())))
        #expect(ends.dropFirst() == [.aborted(0x6C), .refused(0x9C)])
        // A version in front of it and a container behind it are allowed.
        for (text, status) in [
            ("06 0F 07 00 06 04 1F 43 01 00", 0), ("06 0F 07 9C 06 04 1F 43 01 00", 0x9C),
            ("06 0F 0B F0 F0 F7 30 37 2E 32 31 2E 33 00", 0),
        ] as [(String, UInt8)] {
            let message = try Dialogue.messages(Dialogue.bytes(text)).first
            guard case .completed(status, _)? = message else {
                Issue.record("\(text): \(String(describing: message))")
                continue
            }
        }
        let objects = try Dialogue.messages(Dialogue.bytes("06 0F 02 19 00"))
        #expect(objects == [.completed(status: nil, ZVTFields([0x19, 0x00]))])
    }

    @Test("Papers are in code page 437, and a line may end one")
    func papers() throws {
        #expect(
            ZVTText.line([0x43, 0x61, 0x66, 0x82, 0x20, 0x4D, 0x81, 0x6C, 0x6C, 0x65, 0x72]) == "Café Müller")
        #expect(ZVTText.line([0x53, 0x74, 0x72, 0x61, 0xE1, 0x65, 0x07, 0x7F, 0xFF]) == "Straße\u{A0}")
        let messages = try Dialogue.messages(Dialogue.bytes("06 D1 02 00 41 06 D1 01 81 06 D1 02 00 42"))
        var dialogue = ZVTDialogue(silence: .seconds(20), at: Instant(nanoseconds: 0))
        var outcome: ZVTOutcome?
        for message in [.accepted] + messages + [.completed(status: nil, ZVTFields([UInt8]()))] {
            for case .end(.completed(let end)) in dialogue.handle(
                .received(message), at: Instant(nanoseconds: 0))
            {
                outcome = end
            }
        }
        #expect(outcome?.paper.map(\.lines) == [["A"], ["B"]])
    }

    @Test("The reading ends at an unknown, repeated, broken or cut object, and what came before stays")
    func broken() {
        let broken = [
            "77 01", "27 05", "87 0A 42", "04 00 00", "3C F0 F0 F9 41", "3C 00 00 01 41", "06 83 01",
            "06 02 1F 10",
        ]
        for rest in broken {
            let fields = ZVTFields(Dialogue.bytes("27 00 49 09 78 " + rest + " 29 52 00 00 17"))
            #expect(!fields.isWhole, "\(rest)")
            #expect(fields.result == 0)
            #expect(fields.currency == 978)
            #expect(fields.terminal == nil)
        }
    }

    @Test("Of a card's number the last four digits stay, and of tracks and lines with a number nothing more")
    func cardNumbers() {
        let track = "41 11 11 11 11 11 11 11 D2 71 22"
        let fields = ZVTFields(Dialogue.bytes("22 F0 F8 41 11 11 11 11 11 12 34 23 F1 F1 \(track) 27 00"))
        #expect(fields.isWhole)
        #expect(fields.cardEnd == "1234")
        #expect(!String(reflecting: fields).contains("4111"))
        #expect(ZVTFields(Dialogue.bytes("22 F0 F8 EE EE EE EE EE EE 56 78")).cardEnd == "5678")
        #expect(ZVTFields(Dialogue.bytes("22 F0 F8 EE EE EE EE EE E1 23 4F")).cardEnd == "1234")
        #expect(ZVTFields(Dialogue.bytes("22 F0 F2 EE E5")).cardEnd == nil)
        let line = ZVTPacket(0x06D1, [0] + Array("PAN 4111 1111 1111 1111".utf8))
        #expect(ZVTMessage(line) == .printLine("…1111"))
        let text = Array("4111111111111111".utf8)
        #expect(ZVTFields([0x3C, 0xF0, 0xF1, 0xF6] + text).text == "…1111")
    }
}
