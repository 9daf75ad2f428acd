internal import Base
internal import Foundation
internal import Pricing

/// The bytes of a printer's character set. Every byte takes one column of the paper: a Chinese character has
/// two bytes and two columns, also where Unicode calls it narrow (`…`, `×`, `é` from a Chinese font).
enum PrinterCharacters: Hashable, Sendable {
    /// GB18030, its characters of one and two bytes (those of GBK). The ones of four bytes (emoji, Latin
    /// letters with rare accents) are missing in the fonts of most printers, which print rubbish for them.
    case gb18030
    /// Windows-1252.
    case windows1252

    init(_ language: Language) {
        self =
            switch language {
            case .english: .windows1252
            case .chinese: .gb18030
            }
    }

    /// What stands for a character that the printer does not have.
    static let replacement = UInt8(ascii: "?")

    /// One or two bytes; control characters become a space, so that no name sends commands to the printer.
    func bytes(_ character: Character) -> [UInt8] {
        if let ascii = character.asciiValue { return [ascii < 0x20 || ascii == 0x7F ? 0x20 : ascii] }
        let visible = TextWidth.prefix(String(character), limit: 2)
        guard visible != " " else { return [0x20] }
        let scalars = Array(visible.precomposedStringWithCanonicalMapping.unicodeScalars)
        if scalars.count == 1, let found = code(of: scalars[0]) { return found }
        return nearest(visible) ?? [Self.replacement]
    }

    /// What the character set has for a scalar; nil: nothing.
    private func code(of scalar: Unicode.Scalar) -> [UInt8]? {
        switch self {
        case _ where scalar.isASCII: [UInt8(scalar.value)]
        case .gb18030: Self.gb18030(scalar)
        case .windows1252: Self.windows1252(scalar).map { [$0] }
        }
    }

    /// A letter without the accents that the printer does not have, or in the Latin letters that passports
    /// have for it, so that a name can be read; nil: there are none, as for an emoji.
    private func nearest(_ character: String) -> [UInt8]? {
        var letters: [UInt8] = []
        for scalar in character.decomposedStringWithCanonicalMapping.unicodeScalars
        where scalar.properties.generalCategory != .nonspacingMark {
            if let found = code(of: scalar) {
                letters += found
            } else if let latin = NearestLetters.latin(scalar) {
                letters += latin.utf8
            } else {
                return nil
            }
        }
        return letters.isEmpty ? nil : letters
    }

    /// The columns that `text` takes.
    func columns(_ text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + bytes($1).count }
    }

    /// The encoding of Core Foundation's number 0x0632 (GB18030-2000), whose tables come with Foundation.
    private static let gb18030Encoding = String.Encoding(rawValue: 0x8000_0632)

    private static func gb18030(_ scalar: Unicode.Scalar) -> [UInt8]? {
        guard let data = String(Character(scalar)).data(using: gb18030Encoding), data.count <= 2 else {
            return nil
        }
        return Array(data)
    }

    private static func windows1252(_ scalar: Unicode.Scalar) -> UInt8? {
        if (0xA0...0xFF).contains(scalar.value) { return UInt8(scalar.value) }
        return windows1252Upper.firstIndex(of: scalar.value).map { UInt8(0x80 + $0) }
    }

    /// What 0x80 to 0x9F mean; 0: nothing.
    private static let windows1252Upper: [UInt32] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,
        0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0, 0x017E, 0x0178,
    ]
}
