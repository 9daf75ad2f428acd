/// A GS1 element string: what GS1-128, DataBar Expanded and the GS1 matrix codes carry (GS1 General
/// Specifications, section 3).
///
/// It is a sequence of application identifiers with their data. Data of a variable length ends with the
/// group separator (0x1D), as scanners send FNC1, or with the string. The form for people, with each
/// identifier in parentheses, is read too, and a scanner's symbology identifier in front (`]C1`) is
/// skipped.
public struct ElementString: Hashable, Sendable {
    /// AI 01: fourteen digits, its check digit right.
    public private(set) var gtin: String?
    /// AI 10: batch or lot.
    public private(set) var batch: String?
    /// AI 17: the expiry date, `YYMMDD`; a day of `00` is the month's last.
    public private(set) var expiry: String?
    /// AI 310n: the net weight in thousandths of a kilogram, rounded half up.
    public private(set) var weightMilli: Int64?
    /// AI 392n: the amount to pay as digits, and how many of them are decimals.
    public private(set) var price: (digits: Int64, decimals: Int)? {
        get { priceDigits.map { ($0, priceDecimals) } }
        set { (priceDigits, priceDecimals) = (newValue?.digits, newValue?.decimals ?? 0) }
    }
    private var priceDigits: Int64?
    private var priceDecimals = 0

    private static let separator: UInt8 = 0x1D

    /// Reads an element string; nil for what is none, is malformed, or names no article.
    public init?(_ text: String) {
        var bytes = Array(text.utf8)[...]
        // ]C1 GS1-128, ]e0 DataBar, ]d2 DataMatrix, ]Q3 QR.
        if bytes.first == UInt8(ascii: "]") { bytes = bytes.dropFirst(3) }
        let isForPeople = bytes.first == UInt8(ascii: "(")
        while !bytes.isEmpty {
            if bytes.first == Self.separator {
                bytes.removeFirst()
                continue
            }
            guard isForPeople ? takeBracketed(&bytes) : takePlain(&bytes) else { return nil }
        }
        guard gtin != nil else { return nil }
    }

    // MARK: - One element

    private mutating func takePlain(_ bytes: inout ArraySlice<UInt8>) -> Bool {
        guard let length = Self.identifierLength(bytes), bytes.count > length else { return false }
        let identifier = String(decoding: bytes.prefix(length), as: UTF8.self)
        bytes = bytes.dropFirst(length)
        let end: Int
        if let fixed = Self.dataLength(identifier) {
            guard bytes.count >= fixed else { return false }
            end = bytes.startIndex + fixed
        } else {
            end = bytes.firstIndex(of: Self.separator) ?? bytes.endIndex
        }
        defer { bytes = bytes[end...] }
        return take(bytes[..<end], of: identifier)
    }

    private mutating func takeBracketed(_ bytes: inout ArraySlice<UInt8>) -> Bool {
        guard bytes.first == UInt8(ascii: "("), let close = bytes.firstIndex(of: UInt8(ascii: ")")) else {
            return false
        }
        let identifier = String(decoding: bytes[(bytes.startIndex + 1)..<close], as: UTF8.self)
        let rest = bytes[(close + 1)...]
        let end = rest.firstIndex(of: UInt8(ascii: "(")) ?? rest.endIndex
        bytes = rest[end...]
        let data = rest[..<end]
        guard Self.identifierLength(Array(identifier.utf8)[...]) == identifier.utf8.count,
            Self.dataLength(identifier).map({ $0 == data.count }) ?? true
        else { return false }
        return take(data, of: identifier)
    }

    /// Data of an identifier that is not used here is skipped.
    private mutating func take(_ data: ArraySlice<UInt8>, of identifier: String) -> Bool {
        guard (1...Self.longestData).contains(data.count) else { return false }
        let text = String(decoding: data, as: UTF8.self)
        switch identifier {
        case "01":
            guard gtin == nil, data.allSatisfy(\.isDigit), EANCheckDigit.isRight(Array(data)) else {
                return false
            }
            gtin = text
        case "10": batch = text
        case "17":
            guard data.allSatisfy(\.isDigit) else { return false }
            expiry = text
        case _ where identifier.hasPrefix("310"): return takeWeight(data, decimals: identifier.utf8.last)
        case _ where identifier.hasPrefix("392"): return takePrice(data, decimals: identifier.utf8.last)
        default: break
        }
        return true
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
        case 24, 25, 40...42, 71: length = 3
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
    /// How a catalogue may have the article: with fourteen digits, or as EAN-13, UPC-A or EAN-8 without the
    /// zeros that a GTIN has in front of them.
    public var articles: [String] {
        guard let gtin else { return [] }
        return [14, 13, 12, 8].filter { length in gtin.dropLast(length).allSatisfy { $0 == "0" } }.map {
            String(gtin.suffix($0))
        }
    }

    /// The amount to pay in minor units of a currency with so many decimals; nil without one, or when its
    /// own decimals are more than the currency's and not zero.
    public func priceMinor(decimals: Int) -> Int64? {
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
