/// What is to be printed, as a value: lines, rows, a QR code, a cut. It knows neither the paper's width nor
/// the printer's commands, so a job that waits in the spool survives a change of the printer.
public struct ReceiptDocument: Hashable, Sendable, Codable {
    /// From top to bottom.
    public var elements: [Element]

    /// Makes a document; without elements it is an empty paper.
    public init(_ elements: [Element] = []) {
        self.elements = elements
    }

    /// One printable thing.
    public enum Element: Hashable, Sendable, Codable {
        /// A paragraph, wrapped at words and between Chinese characters.
        case text(String, Style)
        /// Two or three cells beside each other, each wrapped within its own width.
        case row([Cell], Style)
        /// A line of hyphens over the paper's width.
        case rule
        /// A QR code in the middle of the paper; left out when no QR code can hold the text.
        case qrCode(String)
        /// Empty lines, 1 to 255.
        case feed(Int)
        /// Feeds the last line past the knife and cuts, leaving one point uncut.
        case cut
        /// Opens the cash drawer.
        case drawerPulse
    }

    /// How a paragraph or a row looks.
    public struct Style: Hashable, Sendable, Codable {
        /// Default: left.
        public var alignment: Alignment
        /// Default: false.
        public var isBold: Bool
        /// Twice the height and the same width. Default: false.
        public var isDoubleHeight: Bool
        /// Half as many columns fit on a line.
        public var isDoubleWidth: Bool

        /// Default: plain and left.
        public init(
            _ alignment: Alignment = .left, isBold: Bool = false, isDoubleHeight: Bool = false,
            isDoubleWidth: Bool = false
        ) {
            self.alignment = alignment
            self.isBold = isBold
            self.isDoubleHeight = isDoubleHeight
            self.isDoubleWidth = isDoubleWidth
        }

        /// Left, neither bold nor high.
        public static let plain = Style()
    }

    /// Where a line or a cell stands in its width.
    public enum Alignment: String, Hashable, Sendable, Codable {
        case left
        case center
        case right
    }

    /// One cell of a row. The first takes what the others leave.
    public struct Cell: Hashable, Sendable, Codable {
        /// Cut or wrapped at ``width``.
        public var text: String
        /// Columns; nil: as wide as the text. Not used for the first cell of a row.
        public var width: Int?
        /// Within ``width``. Default: left.
        public var alignment: Alignment

        /// Makes a cell that takes what the others leave, unless it has a width.
        public init(_ text: String, width: Int? = nil, alignment: Alignment = .left) {
            self.text = text
            self.width = width
            self.alignment = alignment
        }
    }
}

extension ReceiptDocument.Element {
    /// `left` at the left margin, `right` at the right one.
    public static func row(
        _ left: String, _ right: String, _ style: ReceiptDocument.Style = .plain
    ) -> Self {
        .row([.init(left), .init(right, alignment: .right)], style)
    }
}

/// The language of a receipt, which also decides the printer's character set.
public enum ReceiptLanguage: String, Hashable, Sendable, Codable {
    /// Windows-1252: English and Western European names.
    case english = "en"
    /// GB18030, for printers with a Chinese font.
    case chinese = "zh"
}

extension ReceiptDocument {
    /// The document with the mark of a copy at its head, so that no second paper passes for the first one.
    public func markedAsCopy(in language: ReceiptLanguage) -> ReceiptDocument {
        let mark = language == .chinese ? "*** COPY 副本 ***" : "*** COPY ***"
        return ReceiptDocument(
            [.text(mark, Style(.center, isBold: true, isDoubleHeight: true))] + elements)
    }
}
