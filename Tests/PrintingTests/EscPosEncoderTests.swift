import Base
import TestKit
import Testing

@testable import Printing

@Suite("ESC/POS", .timeLimit(.minutes(2)))
struct EscPosEncoderTests {
    private static let english = ReceiptDocument([
        .text("Corner Shop", .init(.center, isBold: true)),
        .text("*** OFFLINE ***", .init(.center, isBold: true, isDoubleHeight: true)),
        .text("No. B010-T1-20261122-0001", .plain),
        .rule,
        .text("Crème brûlée in a jar with a very long name from the farm", .plain),
        .row("  2 x 3.50", "7.00"),
        .row("  Discount (two for one and a half)", "-1.75"),
        .rule,
        .row("TOTAL EUR", "5.25", .init(isBold: true, isDoubleHeight: true)),
        .row("Cash €", "10.00"),
        .text("中文", .plain),
        .qrCode("HF1.abcdefghijklmnop"),
        .feed(2),
        .cut,
    ])

    private static let chinese = ReceiptDocument([
        .text("社区便利店", .init(.center, isBold: true, isDoubleWidth: true)),
        .text("单号 B010-T1-20261122-0001", .plain),
        .rule,
        .text("有机高山云雾绿茶礼盒装二百五十克每盒附赠茶具一套", .plain),
        .row("  2 x 128.00", "256.00"),
        .row("  满两百减二十（会员专享优惠券）", "-20.00"),
        .row("找零…", "14.00"),
        .cut,
    ])

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test(
        "A receipt has the bytes that python-escpos writes for it",
        .enabled(if: ReceiptTools.isAvailable, "\(ReceiptTools.obstacle)"))
    func bytesOfPythonEscpos() async throws {
        try await withTaskExecutorPreference(WaitingExecutor.shared) {
            let english = EscPosEncoder(paper: .wide, language: .english).encode(Self.english)
            let other = try ReceiptTools.receipt("english")
            #expect(hexadecimal(english) == other)
            let copy = PrintJob(
                id: "1", kind: .receipt, title: "", orderId: nil, createdAt: 0, isCopy: true,
                language: .chinese, document: Self.chinese)
            let chinese = copy.bytes(for: .narrow, openingDrawer: true)
            let otherChinese = try ReceiptTools.receipt("chinese")
            #expect(hexadecimal(chinese) == otherChinese)
        }
    }

    @Test(
        "zbarimg reads the QR code of every length, and the code fits the paper",
        .enabled(if: ReceiptTools.isAvailable, "\(ReceiptTools.obstacle)"), arguments: PaperWidth.both)
    func readsCodes(paper: PaperWidth) async throws {
        try await withTaskExecutorPreference(WaitingExecutor.shared) {
            let texts = [1, 60, 213, 214, 600, 1_199, 1_200].map { length in
                String((0..<length).map { Array("abcdefghijkmnopqrstuvwxyz+/._-0123456789")[$0 * 7 % 40] })
            }
            let document = ReceiptDocument(texts.map { .qrCode($0) })
            let stream = EscPosEncoder(paper: paper, language: .english).encode(document)
            let read = try ReceiptTools.codes(in: stream, dots: paper.dots)
            #expect(read.split(separator: "\n").map(String.init) == texts)
        }
    }

    @Test("The code of a text has level M with large modules while it fits, and none when none holds it")
    func codeSizes() throws {
        #expect(QRCodeSize(bytes: 20, dots: 384)?.level == .medium)
        #expect(QRCodeSize(bytes: 20, dots: 384)?.dotsPerModule == 6)
        #expect(QRCodeSize(bytes: 1_200, dots: 384)?.level == .low)
        #expect(QRCodeSize(bytes: 1_200, dots: 384)?.dotsPerModule == 3)
        #expect(QRCodeSize(bytes: 2_953, dots: 384)?.dotsPerModule == 2)
        #expect(QRCodeSize(bytes: 2_954, dots: 384) == nil)
        #expect(QRCodeSize(bytes: 0, dots: 384) == nil)
    }

    @Test("A character that the printer does not have is a question mark, and nothing else changes")
    func missingCharacters() {
        #expect(PrinterCharacters.gb18030.bytes("中") == [0xD6, 0xD0])
        #expect(PrinterCharacters.gb18030.bytes("é") == [0xA8, 0xA6])
        #expect(PrinterCharacters.gb18030.bytes("e\u{301}") == [0xA8, 0xA6])
        for missing in "ñ😀👨‍👩‍👧㛃\u{E000}" {
            #expect(PrinterCharacters.gb18030.bytes(missing).count <= 2)
        }
        #expect(PrinterCharacters.gb18030.bytes("😀") == [0x3F])
        #expect(PrinterCharacters.windows1252.bytes("€") == [0x80])
        #expect(PrinterCharacters.windows1252.bytes("ÿ") == [0xFF])
        #expect(PrinterCharacters.windows1252.bytes("中") == [0x3F])
        #expect(PrinterCharacters.windows1252.bytes("\u{81}") == [0x20])
    }

    @Test(
        "A letter outside of the printer's page is printed by the nearest letters, so that a name can be read",
        arguments: [
            ("Żółć gęślą jaźń", "Zólc gesla jazn"), ("Dvořák, Říčany", "Dvorák, Rícany"),
            ("Işık Çağlar", "Isik Çaglar"), ("Łódź", "Lódz"), ("Ελλάδα", "Ellada"),
            ("Юрий Щукин", "Iurii Shchukin"),
            ("Đorđe", "Dorde"), ("Nguyễn", "Nguyen"), ("a\u{2011}b", "a-b"), ("茶 😀", "? ?"),
        ])
    func nearestLetters(name: String, printed: String) {
        let bytes = name.flatMap(PrinterCharacters.windows1252.bytes)
        #expect(bytes == printed.flatMap(PrinterCharacters.windows1252.bytes))
        #expect(bytes.count == printed.count, "each letter takes one column")
        #expect(PrinterCharacters.windows1252.columns(name) == printed.count)
    }

    @Test("A Chinese printer has Greek and Cyrillic letters of its own, and the nearest for the rest")
    func nearestLettersOfChinesePrinters() {
        #expect("ñł".flatMap(PrinterCharacters.gb18030.bytes) == Array("nl".utf8))
        #expect(PrinterCharacters.gb18030.bytes("Ж").count == 2)
    }

    @Test("Control characters of a name reach no printer")
    func controlCharacters() {
        for characters in [PrinterCharacters.gb18030, .windows1252] {
            for scalar in (0...0x1F).map({ Unicode.Scalar(UInt8($0)) }) + ["\u{7F}", "\u{9B}", "\u{202E}"] {
                #expect(characters.bytes(Character(scalar)) == [0x20])
            }
            #expect(characters.bytes("\r\n") == [0x20])
        }
    }
}

extension PaperWidth {
    static let both = [PaperWidth.narrow, .wide]
}

@Suite("The layout of a receipt")
struct ReceiptLayoutTests {
    private let narrow = ReceiptLayout(columns: 32, characters: .gb18030)

    @Test("Words stay whole, words longer than the line do not, and no line is wider than the paper")
    func wrapping() {
        #expect(narrow.lines(of: "") == [""])
        #expect(narrow.lines(of: "  indented") == ["  indented"])
        #expect(
            narrow.lines(of: "twenty-eight columns are here and more") == [
                "twenty-eight columns are here", "and more",
            ])
        let long = String(repeating: "x", count: 70)
        #expect(narrow.lines(of: long).map(\.count) == [32, 32, 6])
        #expect(narrow.lines(of: String(repeating: "中", count: 17)).map(\.count) == [16, 1])
        #expect(narrow.lines(of: "x" + String(repeating: "中", count: 16)).map(\.count) == [16, 1])
    }

    @Test("A row of three cells keeps its columns, and what has no room goes below")
    func rows() {
        let cells: [ReceiptDocument.Cell] = [
            .init("Apples from the mountain"), .init("2", width: 4, alignment: .right),
            .init("10.00", width: 8, alignment: .right),
        ]
        #expect(
            narrow.lines(of: cells) == [
                "Apples from the       2    10.00", "mountain",
            ])
        let wide = ReceiptDocument.Cell(String(repeating: "9", count: 25), alignment: .right)
        #expect(
            narrow.lines(of: [.init("Apples and pears"), wide]) == [
                "Apples and pears", String(repeating: " ", count: 7) + String(repeating: "9", count: 25),
            ])
    }

    @Test("No text makes a line wider than the paper")
    func neverWider() {
        var state: UInt64 = 7
        let letters = Array("ab 中文… é😀-")
        for _ in 0..<100 {
            let text = String(
                (0..<40).map { _ in
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return letters[Int(state >> 33) % letters.count]
                })
            let lines = narrow.lines(of: text) + narrow.lines(of: [.init(text), .init("1.00")])
            #expect(lines.allSatisfy { narrow.characters.columns($0) <= 32 })
        }
    }
}
