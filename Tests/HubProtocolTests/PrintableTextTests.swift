import Base
import HubProtocol
import Testing

@Suite("Printable text")
struct PrintableTextTests {
    @Test(
        "what a screen would act on is replaced, everything else stays",
        arguments: [
            ("Till 1", "Till 1"), ("\u{1B}]0;owned\u{07}", "\u{FFFD}]0;owned\u{FFFD}"),
            ("a\u{9B}2Jb", "a\u{FFFD}2Jb"), ("a\nb\tc\rd", "a b c d"), ("x\u{7F}", "x\u{FFFD}"),
            ("10\u{202E}99\u{202C}", "10\u{FFFD}99\u{FFFD}"),
            ("\u{2066}a\u{2069}\u{200F}", "\u{FFFD}a\u{FFFD}\u{FFFD}"),
            ("\u{2028}\u{2029}\u{FEFF}\u{E0041}", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"), ("", ""),
            ("牛奶 é 👩‍👧 \u{200D}", "牛奶 é 👩‍👧 \u{200D}"), ("a\r\nb", "a  b"),
        ])
    func printable(text: String, shown: String) {
        #expect(text.printable == shown)
        #expect(text.printable.printable == shown)
    }

    @Test("a document of one's own keeps its line ends")
    func lines() {
        #expect("a\n\tb\u{1B}[2J".printableLines == "a\n\tb\u{FFFD}[2J")
    }

    @Test("JSON stays the same document, and no character of it acts on a screen")
    func json() throws {
        let value: JSONValue = ["a\u{9B}": "\u{1B}\u{202E}\u{E0041}é\u{7F}"]
        let text = value.canonicalText.printableJSON
        #expect(text.unicodeScalars.allSatisfy { !$0.isUnprintable })
        #expect(try JSONParser.parse(Array(text.utf8)) == value)
    }

    @Test("A span of time has the unit that is read fastest, in each language")
    func age() {
        let spans: [Int64: String] = [
            -5: "0 s", 119_999: "119 s", 120_000: "2 min", 7_199_999: "119 min", 7_200_000: "2 h",
            172_800_000: "2 days",
        ]
        for (milliseconds, text) in spans {
            #expect(Language.english.age(milliseconds: milliseconds) == text)
        }
        #expect(Language.chinese.age(milliseconds: 7_199_999) == "119 分钟")
    }
}
