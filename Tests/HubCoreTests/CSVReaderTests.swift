import HubCore
import Testing

@Suite("CSVReader")
struct CSVReaderTests {
    private func records(_ text: String) throws -> [[String]] {
        var reader = CSVReader(Array(text.utf8))
        var records: [[String]] = []
        while let record = try reader.next() { records.append(record.fields) }
        return records
    }

    @Test("Quotes, doubled quotes, commas and line breaks in fields, both line ends, a byte-order mark")
    func fields() throws {
        #expect(
            try records("\u{FEFF}a,\"b \"\"c\"\", d\"\r\n\"x\ny\",\n\n1,2")
                == [["a", "b \"c\", d"], ["x\ny", ""], ["1", "2"]])
    }

    @Test("A record knows the line that it begins on, line breaks within fields counted")
    func lines() throws {
        var reader = CSVReader(Array("h\n\"a\nb\"\nc".utf8))
        var lines: [Int] = []
        while let record = try reader.next() { lines.append(record.line) }
        #expect(lines == [1, 2, 4])
    }

    @Test(
        "What is not CSV is refused with its line",
        arguments: [
            ("a\nb\"c", 2, CSVError.Reason.strayQuote), ("a\n\"b", 2, .unterminatedQuote),
            ("\"a\"b", 1, .unexpectedCharacter), ("a\rb", 1, .unexpectedCharacter),
        ])
    func malformed(text: String, line: Int, reason: CSVError.Reason) {
        #expect(throws: CSVError(line: line, reason: reason)) { try records(text) }
    }

    @Test("Bytes that are not UTF-8 are refused")
    func encoding() {
        var reader = CSVReader([0x61, 0x0A, 0xFF])
        #expect(throws: CSVError(line: 2, reason: .invalidUTF8)) {
            while try reader.next() != nil {}
        }
    }

    @Test("A file cut at any byte ends or is refused, and never traps")
    func cuts() {
        let whole = Array("a,\"b\"\"\r\n\",c\r\nd,é,\"f\"".utf8)
        for length in 0...whole.count {
            var reader = CSVReader(Array(whole[..<length]))
            do { while try reader.next() != nil {} } catch {}
        }
    }
}
