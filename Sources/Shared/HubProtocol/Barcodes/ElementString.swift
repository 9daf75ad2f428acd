/// A GS1 element string: what GS1-128, DataBar Expanded and the GS1 matrix codes carry (GS1 General
/// Specifications, section 3).
///
/// It is a sequence of application identifiers with their data. Data of a variable length ends with the
/// group separator (0x1D), as scanners send FNC1, or with the string. The form for people, with each
/// identifier in parentheses, is read too, and a scanner's symbology identifier in front (`]C1`) is
/// skipped.
package struct ElementString: Hashable, Sendable {
    /// AI 01: fourteen digits, its check digit right.
    package private(set) var gtin: String?
    /// AI 10: batch or lot.
    package private(set) var batch: String?
    /// AI 17: the expiry date, `YYMMDD`; a day of `00` is the month's last.
    package private(set) var expiry: String?
    /// AI 310n: the net weight in thousandths of a kilogram, rounded half up.
    package private(set) var weightMilli: Int64?
    /// AI 392n: the amount to pay as digits, and how many of them are decimals.
    package private(set) var price: (digits: Int64, decimals: Int)? {
        get { priceDigits.map { ($0, priceDecimals) } }
        set { (priceDigits, priceDecimals) = (newValue?.digits, newValue?.decimals ?? 0) }
    }
    private var priceDigits: Int64?
    private var priceDecimals = 0

    private static let separator: UInt8 = 0x1D

    /// Reads an element string; nil for what is none, is malformed, or names no article.
    package init?(_ text: String) {
        do throws(BarcodeFault) {
            try self.init(reading: text)
        } catch {
            return nil
        }
    }

    /// What is wrong with a code that is marked as an element string: by a symbology identifier, a separator,
    /// parentheses, or an article (01) in front; nil for one that is right or not marked so.
    package static func fault(in text: String) -> BarcodeFault? {
        guard text.utf8.count <= TextBound.scanned else { return .tooLong }
        guard isMarked(Array(text.utf8)) else { return nil }
        do throws(BarcodeFault) {
            _ = try ElementString(reading: text)
            return nil
        } catch {
            return error
        }
    }

    /// A code of digits alone may be any store's own: it counts as marked from the length of (01) with data.
    private static func isMarked(_ bytes: [UInt8]) -> Bool {
        switch bytes.first {
        case UInt8(ascii: "]"): symbologies.contains { bytes.starts(with: $0.utf8) }
        case UInt8(ascii: "("): bytes.dropFirst().first?.isDigit ?? false
        default:
            bytes.contains(separator)
                || bytes.count >= 16 && bytes.starts(with: "01".utf8)
                    && bytes.prefix(16).allSatisfy(\.isDigit)
        }
    }

    /// ]C1 GS1-128, ]e0 DataBar, ]d2 DataMatrix, ]Q3 QR.
    private static let symbologies = ["]C1", "]e0", "]d2", "]Q3"]

    private init(reading text: String) throws(BarcodeFault) {
        guard text.utf8.count <= TextBound.scanned else { throw .tooLong }
        var bytes = Array(text.utf8)[...]
        if bytes.first == UInt8(ascii: "]") { bytes = bytes.dropFirst(3) }
        let isForPeople = bytes.first == UInt8(ascii: "(")
        while !bytes.isEmpty {
            if bytes.first == Self.separator {
                bytes.removeFirst()
            } else if isForPeople {
                try takeBracketed(&bytes)
            } else {
                try takePlain(&bytes)
            }
        }
        guard gtin != nil else { throw .noArticle }
    }

    // MARK: - One element

    private mutating func takePlain(_ bytes: inout ArraySlice<UInt8>) throws(BarcodeFault) {
        guard let length = Self.identifierLength(bytes) else {
            throw .unknownIdentifier(Self.shown(bytes.prefix(2)))
        }
        let identifier = String(decoding: bytes.prefix(length), as: UTF8.self)
        try Self.checkAssigned(identifier)
        bytes = bytes.dropFirst(length)
        let end: Int
        if let fixed = Self.dataLength(identifier) {
            guard bytes.count >= fixed else { throw .malformedData(of: identifier) }
            end = bytes.startIndex + fixed
        } else {
            end = bytes.firstIndex(of: Self.separator) ?? bytes.endIndex
        }
        let data = bytes[..<end]
        bytes = bytes[end...]
        try take(data, of: identifier)
    }

    private mutating func takeBracketed(_ bytes: inout ArraySlice<UInt8>) throws(BarcodeFault) {
        guard bytes.first == UInt8(ascii: "("), let close = bytes.firstIndex(of: UInt8(ascii: ")")) else {
            throw .unknownIdentifier(Self.shown(bytes.dropFirst().prefix(4)))
        }
        let name = bytes[(bytes.startIndex + 1)..<close]
        let identifier = Self.shown(name)
        let rest = bytes[(close + 1)...]
        let end = rest.firstIndex(of: UInt8(ascii: "(")) ?? rest.endIndex
        bytes = rest[end...]
        let data = rest[..<end]
        guard Self.identifierLength(name) == name.count else { throw .unknownIdentifier(identifier) }
        try Self.checkAssigned(identifier)
        guard Self.dataLength(identifier).map({ $0 == data.count }) ?? true else {
            throw .malformedData(of: identifier)
        }
        try take(data, of: identifier)
    }

    /// Bytes for a message: what cannot be printed is a question mark, and no more than 8 are shown.
    private static func shown(_ bytes: ArraySlice<UInt8>) -> String {
        String(
            decoding: bytes.prefix(8).map { (0x21...0x7E).contains($0) ? $0 : UInt8(ascii: "?") },
            as: UTF8.self)
    }

    /// Data of an identifier that is not used here is skipped.
    private mutating func take(_ data: ArraySlice<UInt8>, of identifier: String) throws(BarcodeFault) {
        guard (1...Self.longestData).contains(data.count) else { throw .malformedData(of: identifier) }
        if Self.hasCheckDigit(identifier) {
            guard data.allSatisfy(\.isDigit) else { throw .malformedData(of: identifier) }
            if let fault = EANCheckDigit.fault(in: data, of: identifier) { throw fault }
        }
        let text = String(decoding: data, as: UTF8.self)
        switch identifier {
        case "01":
            guard gtin == nil else { throw .repeatedArticle }
            gtin = text
        case "10": batch = text
        case "17":
            guard data.allSatisfy(\.isDigit) else { throw .malformedData(of: identifier) }
            expiry = text
        case _ where identifier.hasPrefix("310"):
            guard takeWeight(data, decimals: identifier.utf8.last) else {
                throw .malformedData(of: identifier)
            }
        case _ where identifier.hasPrefix("392"):
            guard takePrice(data, decimals: identifier.utf8.last) else {
                throw .malformedData(of: identifier)
            }
        default: break
        }
    }

    private mutating func takeWeight(_ data: ArraySlice<UInt8>, decimals: UInt8?) -> Bool {
        guard let digits = Self.number(data), let decimals = Self.decimals(decimals, most: 5) else {
            return false
        }
        // Six digits: below 10^12 with three zeros more.
        let thousandths = digits * 1000
        let unit = Self.power(decimals)
        weightMilli = (thousandths + unit / 2) / unit
        return true
    }

    private mutating func takePrice(_ data: ArraySlice<UInt8>, decimals: UInt8?) -> Bool {
        guard let digits = Self.number(data), let decimals = Self.decimals(decimals, most: 3) else {
            return false
        }
        price = (digits, decimals)
        return true
    }

    // MARK: - What GS1 fixes

    /// The longest data of any identifier.
    private static let longestData = 90

    /// How many digits an identifier has, by its first two (GS1 General Specifications, section 3.2); nil
    /// for a beginning that none has.
    private static func identifierLength(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= 2, bytes.prefix(2).allSatisfy(\.isDigit) else { return nil }
        let first = Int(number(bytes.prefix(2)) ?? 0)
        let length: Int
        switch first {
        case 0...3, 10...13, 15...17, 20...22, 30, 37, 90...99: length = 2
        case 23...25, 40...42, 71: length = 3
        case 31...36, 39, 43, 70, 72, 80...82: length = 4
        default: return nil
        }
        guard bytes.count >= length, bytes.prefix(length).allSatisfy(\.isDigit) else { return nil }
        return length
    }

    /// The length of data that needs no separator behind it; nil: it is variable.
    private static func dataLength(_ identifier: String) -> Int? {
        switch identifier.prefix(2) {
        case "00": 18
        case "01", "02", "03": 14
        case "11", "12", "13", "15", "16", "17": 6
        case "20": 2
        case "31", "32", "33", "34", "35", "36": 6
        case "41": 13
        default: nil
        }
    }

    /// Whether the last digit of the data is the check digit of those before it: containers, articles and
    /// parties (GS1 General Specifications, sections 3.3 and 3.5).
    private static func hasCheckDigit(_ identifier: String) -> Bool {
        ["00", "01", "02", "03"].contains(identifier) || identifier.hasPrefix("41")
    }

    /// The blocks in which GS1 has assigned identifiers of three and four digits, among the beginnings of
    /// ``identifierLength(_:)``; of two digits all of those are assigned. A gap inside a block is not an
    /// error: GS1 fills gaps.
    private static let assigned: [ClosedRange<Int>] = [
        235...235, 240...243, 250...255, 400...403, 410...417, 420...427, 710...717, 3100...3169, 3200...3579,
        3600...3699, 3900...3959, 4300...4333, 7001...7099, 7230...7259, 8001...8030, 8110...8112,
        8200...8200,
    ]

    private static func checkAssigned(_ identifier: String) throws(BarcodeFault) {
        guard let number = Int(identifier) else { throw .unknownIdentifier(identifier) }
        guard identifier.utf8.count == 2 || assigned.contains(where: { $0.contains(number) }) else {
            throw .unknownIdentifier(identifier)
        }
    }

    private static func decimals(_ digit: UInt8?, most: Int) -> Int? {
        guard let digit, digit.isDigit else { return nil }
        let decimals = Int(digit - UInt8(ascii: "0"))
        return decimals <= most ? decimals : nil
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard (1...15).contains(digits.count), digits.allSatisfy(\.isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    static func power(_ decimals: Int) -> Int64 { (0..<decimals).reduce(1) { unit, _ in unit * 10 } }
}

extension ElementString {
    /// How a catalogue may have the article: ``TradeItemCode/forms``.
    package var articles: [String] { gtin.flatMap { TradeItemCode($0) }?.forms ?? [] }

    /// `code` without the symbology identifier that a scanner puts in front of what is no element string, as
    /// `]E0` before EAN and UPC (ISO/IEC 15424); nil for a code without one.
    package static func plain(_ code: String) -> String? {
        let bytes = Array(code.utf8.prefix(3))
        guard bytes.count == 3, bytes[0] == UInt8(ascii: "]"), !symbologies.contains(String(code.prefix(3))),
            bytes[1].isLetter, bytes[2].isLetter || bytes[2].isDigit
        else { return nil }
        return String(code.dropFirst(3))
    }

    /// The amount to pay in minor units of a currency with so many decimals; nil without one, or when its
    /// own decimals are more than the currency's and not zero.
    package func priceMinor(decimals: Int) -> Int64? {
        guard let price else { return nil }
        guard price.decimals > decimals else {
            let (minor, overflow) = price.digits.multipliedReportingOverflow(
                by: Self.power(decimals - price.decimals))
            return overflow ? nil : minor
        }
        let unit = Self.power(price.decimals - decimals)
        return price.digits % unit == 0 ? price.digits / unit : nil
    }
}
