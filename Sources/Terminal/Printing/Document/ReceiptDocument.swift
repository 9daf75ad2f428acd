package import Base

/// What is to be printed, as a value: lines, rows, a QR code, a cut. It knows neither the paper's width nor
/// the printer's commands, so a job that waits in the spool survives a change of the printer.
package struct ReceiptDocument: Hashable, Sendable, Codable {
    /// From top to bottom.
    package var elements: [Element]

    /// Makes a document; without elements it is an empty paper.
    package init(_ elements: [Element] = []) {
        self.elements = elements
    }

    /// One printable thing.
    package enum Element: Hashable, Sendable, Codable {
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
    package struct Style: Hashable, Sendable, Codable {
        /// Default: left.
        package var alignment: Alignment
        /// Default: false.
        package var isBold: Bool
        /// Twice the height and the same width. Default: false.
        package var isDoubleHeight: Bool
        /// Half as many columns fit on a line.
        package var isDoubleWidth: Bool

        /// Default: plain and left.
        package init(
            _ alignment: Alignment = .left, isBold: Bool = false, isDoubleHeight: Bool = false,
            isDoubleWidth: Bool = false
        ) {
            self.alignment = alignment
            self.isBold = isBold
            self.isDoubleHeight = isDoubleHeight
            self.isDoubleWidth = isDoubleWidth
        }

        /// Left, neither bold nor high.
        package static let plain = Style()
    }

    /// Where a line or a cell stands in its width.
    package enum Alignment: String, Hashable, Sendable, Codable {
        case left
        case center
        case right
    }

    /// One cell of a row. The first takes what the others leave.
    package struct Cell: Hashable, Sendable, Codable {
        /// Cut or wrapped at ``width``.
        package var text: String
        /// Columns; nil: as wide as the text. Not used for the first cell of a row.
        package var width: Int?
        /// Within ``width``. Default: left.
        package var alignment: Alignment

        package init(_ text: String, width: Int? = nil, alignment: Alignment = .left) {
            self.text = text
            self.width = width
            self.alignment = alignment
        }
    }
}

extension ReceiptDocument.Element {
    /// `left` at the left margin, `right` at the right one.
    package static func row(
        _ left: String, _ right: String, _ style: ReceiptDocument.Style = .plain
    ) -> Self {
        .row([.init(left), .init(right, alignment: .right)], style)
    }
}

extension ReceiptDocument {
    /// The document with the mark of a copy at its head, so that no second paper passes for the first one.
    package func markedAsCopy(in language: Language) -> ReceiptDocument {
        let style = Style(.center, isBold: true, isDoubleHeight: true)
        return ReceiptDocument([.text(language.printerTexts.copy, style)] + elements)
    }
}
