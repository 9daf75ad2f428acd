/// What the QR code of a receipt carries: the sale in short, signed by the device key of its terminal, so
/// that another terminal of the store can refund it without the hub (docs/reference/receipt-code.md).
///
/// The text is `HF1.` and base64url of: version, terminal, order number, moment, currency, total, lines, and
/// the signature. Numbers are LEB128, of which a barcode of 13 digits takes 7 bytes: a receipt of forty lines
/// has at most 1,000 characters, see its test.
package struct ReceiptCode: Hashable, Sendable {
    package struct Line: Hashable, Sendable {
        /// As sold.
        package let barcode: String
        /// Thousandths of a unit, from 0.
        package let quantityMilli: Int64
        /// Minor units that were paid for the line, from 0.
        package let amount: Int64

        package init(barcode: String, quantityMilli: Int64, amount: Int64) {
            (self.barcode, self.quantityMilli, self.amount) = (barcode, quantityMilli, amount)
        }
    }

    /// Lines that a code carries at most; a longer receipt is refunded at its own terminal or at the hub.
    package static let maximumLines = 40
    /// The longest text, in bytes: less than half of what a QR code of level L holds; larger ones are hard to
    /// read from thermal paper. A code that would be longer carries fewer lines.
    package static let maximumBytes = 1_200

    /// Whose device key signed it.
    package let terminalId: String
    /// As printed.
    package let orderNumber: String
    /// Seconds since 1970.
    package let soldAt: Int64
    /// ISO 4217.
    package let currency: String
    /// Minor units, tax included.
    package let total: Int64
    /// The first lines of the receipt, in its order.
    package let lines: [Line]
    /// Whether ``lines`` are all of them.
    package let isComplete: Bool
    /// The code as it is printed and typed.
    package let text: String

    private static let prefix = "HF1."
    private static let version: UInt64 = 1
    private static let signatureBytes = 64

    /// Signs the code of a sale.
    ///
    /// - Parameters:
    ///   - soldAt: seconds since 1970.
    ///   - lines: those over ``maximumLines`` are left out, and so many more that the text fits.
    ///   - sign: gives the Ed25519 signature of the bytes in base64; nil when there is no key.
    /// - Returns: nil without a signature, and for negative amounts.
    package init?(
        terminalId: String, orderNumber: String, soldAt: Int64, currency: String, total: Int64, lines: [Line],
        sign: ([UInt8]) -> String?
    ) {
        guard soldAt >= 0, total >= 0, lines.allSatisfy({ $0.quantityMilli >= 0 && $0.amount >= 0 }) else {
            return nil
        }
        var carried = Array(lines.prefix(Self.maximumLines))
        while true {
            var writer = Writer()
            writer.number(Self.version)
            writer.text(terminalId)
            writer.text(orderNumber)
            writer.number(UInt64(soldAt))
            writer.text(currency)
            writer.number(UInt64(total))
            writer.number(carried.count == lines.count ? 1 : 0)
            writer.number(UInt64(carried.count))
            for line in carried {
                writer.barcode(line.barcode)
                writer.number(UInt64(line.quantityMilli))
                writer.number(UInt64(line.amount))
            }
            guard let signature = sign(Self.signed(writer.bytes)).flatMap(Base64.bytes) else { return nil }
            let text = Self.prefix + Base64.urlText(writer.bytes + signature)
            if text.utf8.count <= Self.maximumBytes {
                try? self.init(text: text)
                return
            }
            guard !carried.isEmpty else { return nil }
            carried.removeLast()
        }
    }

    /// Reads a code as a scanner or a person gives it; the signature is looked at by ``isSigned(by:)``.
    ///
    /// - Throws: for every text that ``init(terminalId:orderNumber:soldAt:currency:total:lines:sign:)`` would
    /// not
    ///   have written.
    package init(text: String) throws(ShapeError) {
        let malformed = ShapeError(path: "receiptCode", expected: "the code of a receipt, HF1.…")
        guard text.utf8.count <= Self.maximumBytes, text.hasPrefix(Self.prefix),
            let all = Base64.urlBytes(String(text.dropFirst(Self.prefix.count))),
            all.count > Self.signatureBytes
        else { throw malformed }
        var reader = Reader(bytes: all.dropLast(Self.signatureBytes))
        guard reader.number() == Self.version, let terminalId = reader.text(), let number = reader.text(),
            let soldAt = reader.amount(), let currency = reader.text(), currency.utf8.count == 3,
            let total = reader.amount(), let complete = reader.number(), complete <= 1,
            let count = reader.number(), count <= UInt64(Self.maximumLines)
        else { throw malformed }
        var lines: [Line] = []
        for _ in 0..<count {
            guard let barcode = reader.barcode(), let quantity = reader.amount(), let amount = reader.amount()
            else { throw malformed }
            lines.append(Line(barcode: barcode, quantityMilli: quantity, amount: amount))
        }
        guard reader.isAtEnd else { throw malformed }
        self.terminalId = terminalId
        self.orderNumber = number
        self.soldAt = soldAt
        self.currency = currency
        self.total = total
        self.lines = lines
        self.isComplete = complete == 1
        self.text = text
    }

    /// Whether the device key of ``terminalId`` signed it.
    ///
    /// - Parameter publicKey: Ed25519, 32 bytes in base64.
    package func isSigned(by publicKey: String) -> Bool {
        guard let all = Base64.urlBytes(String(text.dropFirst(Self.prefix.count))) else { return false }
        return DeviceSignature.isValid(
            Base64.text(Array(all.suffix(Self.signatureBytes))),
            of: Self.signed(Array(all.dropLast(Self.signatureBytes))), by: publicKey)
    }

    /// The label keeps the signature from being used as one of another kind.
    private static func signed(_ content: [UInt8]) -> [UInt8] { Array("receipt\n".utf8) + content }
}

/// Writes the content of a code.
private struct Writer {
    var bytes: [UInt8] = []

    /// LEB128, unsigned.
    mutating func number(_ value: UInt64) {
        var rest = value
        repeat {
            let low = UInt8(rest & 0x7F)
            rest >>= 7
            bytes.append(rest == 0 ? low : low | 0x80)
        } while rest != 0
    }

    mutating func text(_ text: String) {
        number(UInt64(text.utf8.count))
        bytes += text.utf8
    }

    /// Digits as a number behind twice their count plus one, everything else as text behind twice its length.
    mutating func barcode(_ text: String) {
        if (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }),
            let value = UInt64(text)
        {
            number(UInt64(text.utf8.count) << 1 | 1)
            number(value)
        } else {
            number(UInt64(text.utf8.count) << 1)
            bytes += text.utf8
        }
    }
}

/// Reads the content of a code; nil for what ``Writer`` would not have written.
private struct Reader {
    var bytes: ArraySlice<UInt8>

    var isAtEnd: Bool { bytes.isEmpty }

    mutating func number() -> UInt64? {
        var (value, shift): (UInt64, UInt64) = (0, 0)
        while let byte = bytes.popFirst() {
            let bits = UInt64(byte & 0x7F)
            guard shift < 63 || (shift == 63 && bits <= 1) else { return nil }
            value |= bits << shift
            shift += 7
            if byte & 0x80 == 0 {
                // A longer form of a number would be a second text of the same code.
                return byte == 0 && shift > 7 ? nil : value
            }
        }
        return nil
    }

    mutating func amount() -> Int64? { number().flatMap { Int64(exactly: $0) } }

    mutating func text() -> String? { number().flatMap { text(of: $0) } }

    mutating func barcode() -> String? {
        guard let head = number() else { return nil }
        guard head & 1 == 1 else {
            guard let text = text(of: head >> 1), !isDigits(text) else { return nil }
            return text
        }
        let count = Int(clamping: head >> 1)
        guard (1...18).contains(count), let value = number() else { return nil }
        let digits = String(value)
        guard digits.count <= count else { return nil }
        return String(repeating: "0", count: count - digits.count) + digits
    }

    private func isDigits(_ text: String) -> Bool {
        (1...18).contains(text.utf8.count) && text.utf8.allSatisfy { (48...57).contains($0) }
    }

    private mutating func text(of count: UInt64) -> String? {
        guard count <= UInt64(bytes.count) else { return nil }
        let taken = bytes.prefix(Int(count))
        bytes = bytes.dropFirst(Int(count))
        return String(validating: taken, as: UTF8.self)
    }
}
