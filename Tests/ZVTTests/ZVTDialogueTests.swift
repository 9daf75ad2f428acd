import Base
import Testing
import ZVT

@Suite("A dialogue of ZVT")
struct ZVTDialogueTests {
    private static let start = Instant(nanoseconds: 0)
    private static let expected = ZVTDialogue.Expected(amount: 2347, currency: 978, terminal: 52_000_017)
    private static let silence = Duration.seconds(180)

    /// A payment, from the receipt of the authorisation on.
    private func payment() throws -> [ZVTMessage] {
        try Dialogue.messages(
            Dialogue.bytes("80 00 00") + Dialogue.insertCard + Dialogue.status + Dialogue.receiptBlock
                + Dialogue.completed)
    }

    private func dialogue(_ expected: ZVTDialogue.Expected? = expected) -> ZVTDialogue {
        ZVTDialogue(expecting: expected, silence: Self.silence, at: Self.start)
    }

    /// What is sent and how it ends, in one letter each: `a` acknowledged, `r` refused, `b` the abort, `k` to
    /// be kept, `.` shown.
    private func run(
        _ dialogue: inout ZVTDialogue, _ messages: [ZVTMessage], keeping: Bool = true
    ) -> (String, ZVTDialogue.End?) {
        var (letters, end) = ("", ZVTDialogue.End?.none)
        for message in messages {
            var effects = dialogue.handle(.received(message), at: Self.start)[...]
            while let effect = effects.popFirst() {
                switch effect {
                case .send(ZVTMessage.acknowledgement): letters += "a"
                case .send(ZVTMessage.notStored): letters += "r"
                case .send: letters += "b"
                case .keep:
                    letters += "k"
                    effects += dialogue.handle(.kept(keeping), at: Self.start)
                case .show: letters += "."
                case .end(let how): end = how
                }
            }
        }
        return (letters, end)
    }

    @Test("A payment is kept before it is acknowledged, and only its completion ends it")
    func whole() throws {
        let messages = try payment()
        var whole = dialogue()
        let (letters, end) = run(&whole, messages)
        #expect(letters == "a.kakaa")
        guard case .completed(let outcome)? = end else {
            Issue.record("\(String(describing: end))")
            return
        }
        #expect(outcome.status?.receipt == 142 && outcome.status?.result == 0)
        #expect(outcome.paper == [ZVTPaper(kind: 2, lines: ["HOLDFAST TEST", "EUR 23,47"])])
        #expect(whole.deadline == nil)
        for count in 0..<messages.count {
            var cut = dialogue()
            #expect(run(&cut, Array(messages.prefix(count))).1 == nil)
            #expect(cut.handle(.connectionEnded, at: Self.start) == [.end(.lost(.connectionEnded))])
        }
    }

    @Test("A booking that the disk does not take, of another amount or terminal, is refused and was none")
    func refused() throws {
        let wrong = [
            ZVTDialogue.Expected(amount: 2348, currency: 978, terminal: nil),
            .init(amount: 2347, currency: 756, terminal: nil),
            .init(amount: 2347, currency: 978, terminal: 7),
        ]
        var full = dialogue()
        let (letters, end) = run(&full, try payment(), keeping: false)
        #expect(letters.hasPrefix("a.kr"))
        #expect(end == .lost(.contradiction), "it completed a booking that was refused")
        for expected in wrong {
            var other = dialogue(expected)
            let (letters, end) = run(&other, try payment())
            #expect(letters.hasPrefix("a.kr"), "\(expected)")
            #expect(end == .lost(.contradiction))
            var reversed = dialogue(expected)
            let messages = Array(try payment().prefix(3)) + [.aborted(0x66)]
            #expect(run(&reversed, messages).1 == .aborted(0x66))
        }
    }

    @Test("A booking that was acknowledged stays one, whatever becomes of its paper and of who wants no more")
    func acknowledged() throws {
        let messages = try payment()
        for isAborted in [true, false] {
            var dialogue = dialogue()
            #expect(run(&dialogue, Array(messages.prefix(3))).0 == "a.ka")
            if isAborted { _ = dialogue.handle(.abortWanted, at: Self.start) }
            let (letters, end) = run(&dialogue, Array(messages.dropFirst(3)), keeping: isAborted)
            #expect(letters == "kaa")
            guard case .completed? = end else {
                Issue.record("\(String(describing: end)), aborted: \(isAborted)")
                continue
            }
        }
    }

    @Test("A machine that sends for ever gets neither more time nor more room")
    func endless() {
        var dialogue = dialogue()
        _ = dialogue.handle(.received(.accepted), at: Self.start)
        var (now, sent, end) = (Self.start, [ZVTPacket](), ZVTDialogue.End?.none)
        while end == nil, now < Self.start + .seconds(7200) {
            now = now + .seconds(1)
            let line = ZVTMessage.printLine(String(repeating: "x", count: 40))
            for event in [ZVTDialogue.Event.received(line), .timeAdvanced] {
                for effect in dialogue.handle(event, at: now) {
                    if case .send(let packet) = effect, packet != ZVTMessage.acknowledgement {
                        sent.append(packet)
                    }
                    if case .end(let how) = effect { end = how }
                }
            }
        }
        #expect(sent == [ZVTPacket(0x06B0)])
        #expect(end == .lost(.silence) && now == Self.start + .seconds(1080))
        var (long, papers) = (self.dialogue(), [ZVTPaper]())
        let block = ZVTMessage.printBlock(ZVTPaper(kind: 2, lines: Array(repeating: "x", count: 100)))
        _ = run(&long, [.accepted] + Array(repeating: block, count: 20))
        for effect in long.handle(.received(.status(ZVTFields([UInt8]()))), at: Self.start) {
            if case .keep(_, let paper) = effect { papers = paper }
        }
        #expect(papers.count == 8)
    }

    @Test("An abort is sent once, and a booking that comes after it is refused")
    func aborted() throws {
        var dialogue = dialogue()
        let messages = try payment()
        _ = run(&dialogue, Array(messages.prefix(2)))
        #expect(dialogue.handle(.abortWanted, at: Self.start) == [.send(ZVTPacket(0x06B0))])
        #expect(dialogue.handle(.abortWanted, at: Self.start) == [])
        var late = dialogue
        #expect(run(&dialogue, [.accepted, .aborted(0x6C)]).1 == .aborted(0x6C))
        #expect(run(&late, [.refused(0x83), messages[2]]).0 == "kr")
    }

    @Test("A person who wants no more before the machine's receipt has the abort sent behind it")
    func abortedEarly() {
        var dialogue = dialogue()
        #expect(dialogue.handle(.abortWanted, at: Self.start) == [])
        #expect(dialogue.handle(.received(.accepted), at: Self.start) == [.send(ZVTPacket(0x06B0))])
    }

    @Test("A machine that sends no receipt is heard, and a message that nobody knows is acknowledged")
    func otherMachines() throws {
        var dialogue = dialogue()
        let (letters, end) = run(&dialogue, Array(try payment().dropFirst()) + [.other(0x0477)])
        #expect(letters == ".kakaa" || letters == "a.kakaa", "\(letters)")
        guard case .completed? = end else { return #expect(Bool(false), "\(String(describing: end))") }
        var other = self.dialogue()
        #expect(run(&other, [.accepted, .other(0x0477)]).0 == "a")
    }

    @Test("What the till needs for its disk is no silence of the machine")
    func slowDisk() throws {
        var dialogue = dialogue()
        let messages = try payment()
        for message in messages.prefix(3) { _ = dialogue.handle(.received(message), at: Self.start) }
        #expect(dialogue.deadline == nil)
        let later = Self.start + .seconds(100)
        #expect(dialogue.handle(.kept(true), at: later) == [.send(ZVTMessage.acknowledgement)])
        #expect(dialogue.deadline == later + Self.silence)
    }

    @Test(
        "Signs of life move the deadline; at its end the abort is sent, and silence then is a lost response")
    func silence() throws {
        var dialogue = dialogue()
        #expect(dialogue.deadline == Self.start + .seconds(5))
        _ = dialogue.handle(.received(.accepted), at: Self.start + .seconds(1))
        #expect(dialogue.deadline == Self.start + .seconds(181))
        _ = dialogue.handle(.received(.progress(0x0A, minutes: nil)), at: Self.start + .seconds(60))
        #expect(dialogue.deadline == Self.start + .seconds(240))
        let later = Self.start + .seconds(100)
        _ = dialogue.handle(.received(.progress(0x0A, minutes: 5)), at: later)
        #expect(dialogue.deadline == later + .seconds(300))
        let end = later + .seconds(300)
        #expect(dialogue.handle(.timeAdvanced, at: end) == [.send(ZVTPacket(0x06B0))])
        #expect(dialogue.deadline == end + .seconds(30))
        #expect(dialogue.handle(.timeAdvanced, at: end + .seconds(30)) == [.end(.lost(.silence))])
    }

    @Test("A command without a receipt is a lost response, one that is refused was not begun")
    func receipt() {
        var (silent, busy) = (dialogue(), dialogue())
        #expect(
            silent.handle(.timeAdvanced, at: Self.start + .seconds(5)) == [.end(.lost(.noReceipt))])
        #expect(busy.handle(.received(.refused(0x9C)), at: Self.start) == [.end(.refused(0x9C))])
    }

    @Test("A booking that was acknowledged and then aborted proves nothing")
    func contradiction() throws {
        var dialogue = dialogue()
        let messages = try payment()
        #expect(run(&dialogue, Array(messages.prefix(3)) + [.aborted(0x6C)]).1 == .lost(.contradiction))
    }
}
