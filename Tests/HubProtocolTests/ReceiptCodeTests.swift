import Base
import Crypto
import Foundation
import Testing

@testable import HubProtocol

@Suite("The code of a receipt")
struct ReceiptCodeTests {
    private static let key = Curve25519.Signing.PrivateKey()
    private static var publicKey: String { key.publicKey.rawRepresentation.base64EncodedString() }

    private static func code(_ lines: [ReceiptCode.Line], currency: String = "CNY") -> ReceiptCode? {
        ReceiptCode(
            terminalId: "01J000000000000000000000T1", orderNumber: "20261121-003-000017",
            soldAt: 1_795_234_567, currency: currency, total: 2540, lines: lines
        ) { try? key.signature(for: $0).base64EncodedString() }
    }

    private static func lines(_ count: Int) -> [ReceiptCode.Line] {
        (0..<count).map { number in
            ReceiptCode.Line(
                barcode: String(6_900_000_000_000 + number), quantityMilli: 1000, amount: 1250 + Int64(number)
            )
        }
    }

    @Test("It is read as it was written, with digits, leading zeros and texts as barcodes, and is signed")
    func whole() throws {
        let lines = [
            ReceiptCode.Line(barcode: "6901234567890", quantityMilli: 1500, amount: 2540),
            ReceiptCode.Line(barcode: "000123", quantityMilli: 0, amount: 0),
            ReceiptCode.Line(barcode: "茶-1", quantityMilli: .max, amount: .max),
            ReceiptCode.Line(barcode: "9999999999999999999", quantityMilli: 1, amount: 1),
        ]
        let code = try #require(Self.code(lines))
        let read = try ReceiptCode(text: code.text)
        #expect(read == code && read.lines == lines && read.isComplete)
        #expect(read.terminalId == "01J000000000000000000000T1" && read.orderNumber == "20261121-003-000017")
        #expect(read.soldAt == 1_795_234_567 && read.total == 2540 && read.currency == "CNY")
        #expect(read.isSigned(by: Self.publicKey))
        let other = Curve25519.Signing.PrivateKey().publicKey.rawRepresentation.base64EncodedString()
        #expect(!read.isSigned(by: other))
    }

    @Test("Forty lines fit, the forty-first is left out and said to be")
    func maximumLines() throws {
        let forty = try #require(Self.code(Self.lines(40)))
        #expect(forty.lines.count == 40 && forty.isComplete)
        #expect(forty.text.utf8.count <= 1000)
        let more = try #require(Self.code(Self.lines(41)))
        #expect(more.lines == Array(Self.lines(41).prefix(40)) && !more.isComplete)
    }

    @Test("Long barcodes leave out lines, so that the text has at most 1200 bytes")
    func maximumBytes() throws {
        let long = (0..<40).map { number in
            ReceiptCode.Line(
                barcode: String(repeating: "x", count: 60) + String(number), quantityMilli: 1, amount: 1)
        }
        let code = try #require(Self.code(long))
        #expect(code.text.utf8.count <= ReceiptCode.maximumBytes && code.text.utf8.count > 1100)
        #expect(code.lines.count < 40 && !code.isComplete && code.isSigned(by: Self.publicKey))
    }

    @Test("Cut or changed at any character it is refused or not signed")
    func damaged() throws {
        let text = try #require(Self.code(Self.lines(3))).text
        for count in 0..<text.count {
            let cut = String(text.prefix(count))
            #expect((try? ReceiptCode(text: cut))?.isSigned(by: Self.publicKey) != true)
        }
        for place in text.indices {
            var changed = text
            changed.replaceSubrange(place...place, with: text[place] == "A" ? "B" : "A")
            #expect((try? ReceiptCode(text: changed))?.isSigned(by: Self.publicKey) != true)
        }
        #expect(throws: ShapeError.self) { try ReceiptCode(text: "") }
        #expect(throws: ShapeError.self) { try ReceiptCode(text: "HF1.") }
        #expect(throws: ShapeError.self) { try ReceiptCode(text: text + "A") }
    }

    @Test("No bytes at all stop the reader, and what it reads is written the same")
    func random() {
        var random = SplitMix64(seed: 40)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...120, using: &random)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...5, using: &random) }
            guard let read = try? ReceiptCode(text: "HF1." + Base64.urlText([1] + bytes)) else { continue }
            #expect(read.lines.count <= 40 && read.currency.utf8.count == 3)
        }
    }

    @Test("Without a key, and for amounts below zero, there is no code")
    func none() {
        #expect(
            ReceiptCode(
                terminalId: "t", orderNumber: "1", soldAt: 1, currency: "CNY", total: 1, lines: [],
                sign: { _ in nil }) == nil)
        #expect(Self.code([ReceiptCode.Line(barcode: "1", quantityMilli: -1, amount: 1)]) == nil)
        #expect(Self.code([], currency: "EURO") == nil)
    }
}
