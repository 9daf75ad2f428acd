import Counter
import Testing

@Suite("Keys come out of the bytes of a terminal, wherever these are cut")
struct KeyDecoderTests {
    /// Bytes and the keys that they are.
    static let sequences: [(String, [Key])] = [
        ("a", [.typed("a")]), ("é茶🍵", [.typed("é"), .typed("茶"), .typed("🍵")]),
        ("\u{1B}[A\u{1B}OB\u{1B}[C\u{1B}OD", [.up, .down, .right, .left]),
        ("\u{1B}[H\u{1B}[1~\u{1B}[7~\u{1B}OH", [.home, .home, .home, .home]),
        ("\u{1B}[F\u{1B}[4~\u{1B}[8~\u{1B}OF", [.end, .end, .end, .end]),
        ("\u{1B}[2~\u{1B}[3~\u{1B}[5~\u{1B}[6~", [.insert, .delete, .pageUp, .pageDown]),
        ("\u{1B}OP\u{1B}OQ\u{1B}OR\u{1B}OS", (1...4).map(Key.function)),
        ("\u{1B}[11~\u{1B}[12~\u{1B}[13~\u{1B}[14~\u{1B}[15~", (1...5).map(Key.function)),
        ("\u{1B}[[A\u{1B}[[B\u{1B}[[C\u{1B}[[D\u{1B}[[E", (1...5).map(Key.function)),
        ("\u{1B}[17~\u{1B}[18~\u{1B}[19~\u{1B}[20~\u{1B}[21~", (6...10).map(Key.function)),
        ("\u{1B}[23~\u{1B}[24~", [.function(11), .function(12)]),
        ("\u{1B}[1;5C\u{1B}[3;2~\u{1B}[1;2P", [.right, .delete, .function(1)]),
        ("\u{1B}x\u{1B}茶", [.alt("x"), .alt("茶")]), ("\u{1B}[Z\t", [.backTab, .tab]),
        ("\r\n\u{7F}\u{08}\u{03}", [.enter, .enter, .backspace, .backspace, .control("c")]),
        ("\u{1B}\u{1B}[A", [.escape, .up]), ("\u{1B}\r", [.escape, .enter]),
        ("\u{1B}[99~\u{1B}[<0;1;1ma", [.typed("a")]),
        ("\u{1B}[200~690\r\n茶\ta\u{1B}b\n\u{1B}[201~c", [.paste("690\n茶 ab\n"), .typed("c")]),
    ]

    @Test("every sequence, at once and byte by byte and cut in two at every place", arguments: sequences)
    func cuts(_ bytes: String, _ expected: [Key]) {
        let bytes = Array(bytes.utf8)
        var whole = KeyDecoder()
        #expect(whole.take(bytes) == expected)
        #expect(whole.wait == nil)
        var single = KeyDecoder()
        #expect(bytes.flatMap { single.take([$0]) } == expected)
        for place in bytes.indices {
            var cut = KeyDecoder()
            let first = cut.take(bytes[..<place])
            #expect(first + cut.take(bytes[place...]) == expected)
        }
    }

    @Test("Escape alone is a key once nothing has followed it")
    func escape() {
        var keys = KeyDecoder()
        #expect(keys.take([0x1B]) == [])
        #expect(keys.wait == 50)
        #expect(keys.expire() == [.escape])
        #expect(keys.wait == nil)
        #expect(keys.take("[A".utf8) == [.typed("["), .typed("A")])
    }

    @Test("a paste whose end is lost is what has come of it")
    func lostEnd() {
        var keys = KeyDecoder()
        #expect(keys.take("\u{1B}[200~123\n45".utf8) == [])
        #expect(keys.wait == 1_000)
        #expect(keys.expire() == [.paste("123\n45")])
    }

    @Test("a paste ends at 65,536 bytes, one more is cut, and keys work behind it")
    func longPaste() {
        for length in [65_536, 65_537, 200_000] {
            var keys = KeyDecoder()
            let text = String(repeating: "7", count: length)
            let expected = String(repeating: "7", count: min(length, 65_536))
            #expect(keys.take("\u{1B}[200~\(text)\u{1B}[201~x".utf8) == [.paste(expected), .typed("x")])
        }
    }

    @Test("bytes that are no UTF-8 and characters that a screen acts on are dropped")
    func garbage() {
        var keys = KeyDecoder()
        #expect(
            keys.take([0x80, 0xC0, 0xFF, 0xE8, 0x61, 0xC2, 0x9B, 0xED, 0xA0, 0x80, 0x62]) == [
                .typed("a"), .typed("b"),
            ])
        #expect(keys.take("\u{202E}c".utf8) == [.typed("c")])
    }
}

@Suite("A line is corrected before it counts")
struct LineEditorTests {
    private func typed(_ bytes: String, into editor: inout LineEditor) -> [LineEditor.Outcome] {
        var keys = KeyDecoder()
        return keys.take(bytes.utf8).flatMap(\.pressed).map { editor.take($0) }
    }

    @Test(
        "keys of readline and of keyboards",
        arguments: [
            ("abc\u{1B}[D\u{1B}[DX", "aXbc"), ("abc\u{01}X\u{05}Y", "XabcY"), ("ab cd\u{17}", "ab "),
            ("abc\u{15}d", "d"), ("abc\u{1B}[H\u{0B}", ""), ("abc\u{1B}[H\u{1B}[3~", "bc"),
            ("茶叶\u{7F}", "茶"), ("e\u{301}\u{7F}", ""), ("a\tb", "a b"),
        ])
    func keys(_ bytes: String, _ expected: String) {
        var editor = LineEditor()
        _ = typed(bytes, into: &editor)
        #expect(String(editor.text) == expected)
    }

    @Test("a paste without its marks is a line for each of its ends")
    func lines() {
        var editor = LineEditor()
        let lines = typed("\u{1B}[200~1\n2\n3\u{1B}[201~", into: &editor).filter { $0 != .changed }
        #expect(lines == [.line("1"), .line("2")])
        #expect(String(editor.text) == "3")
    }

    @Test("of a text that is too long the part around the cursor is shown")
    func view() {
        var editor = LineEditor()
        _ = typed("一二三四五六", into: &editor)
        #expect(editor.view(columns: 7).text == "四五六")
        _ = typed("\u{1B}[H", into: &editor)
        #expect(editor.view(columns: 7).text == "一二三")
        #expect(editor.view(columns: 7).cursor == 0)
    }
}
