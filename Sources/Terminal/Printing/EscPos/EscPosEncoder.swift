package import Base

/// A document as the commands of ESC/POS, the language of nearly every receipt printer.
///
/// The commands are those of Epson's reference, written as python-escpos 3.1 writes them for the same calls;
/// a test compares the bytes. `set(custom_size=True, …)` stands before a line whose style differs from the
/// last:
///
/// - start: `ESC @`, then for Chinese `FS &` (two-byte characters on), else `ESC t 16` (Windows-1252);
/// - style: `GS ! n` (size), `ESC E n` (bold), `ESC a n` (alignment);
/// - QR code: `GS ( k` with functions 65, 67, 69, 80 and 81, made by the printer;
/// - feed `ESC d n`; cut `ESC d 6`, `GS V 1`; drawer `ESC p 0 50 50`.
package struct EscPosEncoder: Sendable {
    private let paper: PaperWidth
    private let characters: PrinterCharacters

    package init(paper: PaperWidth, language: Language) {
        self.paper = paper
        characters = PrinterCharacters(language)
    }

    /// All bytes of a print job.
    package func encode(_ document: ReceiptDocument) -> [UInt8] {
        var stream = Stream(characters: characters)
        for element in document.elements { append(element, to: &stream) }
        return stream.bytes
    }

    /// The printer reports its paper sensor in one byte, also while it prints (`DLE EOT 4`).
    static let paperStatusRequest: [UInt8] = [0x10, 0x04, 0x04]

    /// Opens the drawer also when the printer stopped for want of paper (`DLE DC4 1 0 1`, a pulse of 100 ms
    /// on pin 2). The usual `ESC p` would wait in its buffer and open the drawer when nobody stands there.
    static let drawerPulseWithoutPaper: [UInt8] = [0x10, 0x14, 0x01, 0x00, 0x01]

    private func append(_ element: ReceiptDocument.Element, to stream: inout Stream) {
        switch element {
        case .text(let text, let style):
            stream.append(layout(of: style).lines(of: text), style)
        case .row(let cells, var style):
            style.alignment = .left
            stream.append(layout(of: style).lines(of: cells), style)
        case .rule:
            stream.append([String(repeating: "-", count: paper.columns)], .plain)
        case .qrCode(let text):
            guard let size = QRCodeSize(bytes: text.utf8.count, dots: paper.dots) else { return }
            stream.appendQRCode(Array(text.utf8), size)
        case .feed(let lines):
            stream.bytes += [0x1B, UInt8(ascii: "d"), UInt8(clamping: lines)]
        case .cut:
            stream.bytes += [0x1B, UInt8(ascii: "d"), Self.linesToKnife, 0x1D, UInt8(ascii: "V"), 1]
        case .drawerPulse:
            stream.bytes += [0x1B, UInt8(ascii: "p"), 0, Self.pulse, Self.pulse]
        }
    }

    private func layout(of style: ReceiptDocument.Style) -> ReceiptLayout {
        ReceiptLayout(
            columns: style.isDoubleWidth ? paper.columns / 2 : paper.columns, characters: characters)
    }

    /// The way from the print head to the knife, as python-escpos feeds it. Halved, the last line would be
    /// cut through; doubled, each receipt would waste two centimetres.
    private static let linesToKnife: UInt8 = 6
    /// In units of 2 ms. Halved, heavy drawers stay shut; doubled, the coil of a small one gets warm.
    private static let pulse: UInt8 = 50

    /// The bytes so far and the style that the printer has.
    private struct Stream {
        let characters: PrinterCharacters
        var bytes: [UInt8]
        /// Nil until the first line.
        var style: ReceiptDocument.Style?

        init(characters: PrinterCharacters) {
            self.characters = characters
            bytes = [0x1B, UInt8(ascii: "@")]
            switch characters {
            case .gb18030: bytes += [0x1C, UInt8(ascii: "&")]
            case .windows1252: bytes += [0x1B, UInt8(ascii: "t"), 16]
            }
        }

        mutating func append(_ lines: [String], _ style: ReceiptDocument.Style) {
            set(style)
            for line in lines { bytes += line.flatMap(characters.bytes) + [0x0A] }
        }

        mutating func set(_ style: ReceiptDocument.Style) {
            guard style != self.style else { return }
            self.style = style
            let size: UInt8 = (style.isDoubleWidth ? 0x10 : 0) | (style.isDoubleHeight ? 0x01 : 0)
            bytes += [0x1D, UInt8(ascii: "!"), size]
            bytes += [0x1B, UInt8(ascii: "E"), style.isBold ? 1 : 0]
            let alignment: UInt8 =
                switch style.alignment {
                case .left: 0
                case .center: 1
                case .right: 2
                }
            bytes += [0x1B, UInt8(ascii: "a"), alignment]
        }

        mutating func appendQRCode(_ text: [UInt8], _ size: QRCodeSize) {
            set(ReceiptDocument.Style(.center))
            // Model 2, the dots of a module, the level of correction, the text, and the command to print it.
            appendCode(65, [50, 0])
            appendCode(67, [size.dotsPerModule])
            appendCode(69, [size.level == .medium ? 49 : 48])
            appendCode(80, [48] + text)
            appendCode(81, [48])
        }

        /// `GS ( k pL pH 49 function parameters`; 49 is the QR code among the two-dimensional codes.
        private mutating func appendCode(_ function: UInt8, _ parameters: [UInt8]) {
            let length = parameters.count + 2
            bytes += [0x1D, UInt8(ascii: "("), UInt8(ascii: "k"), UInt8(length & 0xFF), UInt8(length >> 8)]
            bytes += [49, function] + parameters
        }
    }
}

/// The paper's width, with font A of 12 dots a column at 203 dots an inch.
package enum PaperWidth: Int, Hashable, Sendable, Codable {
    /// 58 mm: 32 columns, 384 dots.
    case narrow = 58
    /// 80 mm: 48 columns, 576 dots.
    case wide = 80

    /// Characters of one byte in a line: 32 or 48.
    package var columns: Int { self == .narrow ? 32 : 48 }
    var dots: Int { self == .narrow ? 384 : 576 }
}
