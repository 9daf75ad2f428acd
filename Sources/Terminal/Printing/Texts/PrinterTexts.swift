package import Base

/// What a printer adds to papers, in one language.
package protocol PrinterTexts: Sendable {
    /// At the head of a paper that was printed before.
    var copy: String { get }
    /// Letters of the language for a test page.
    var letters: String { get }

    /// What is wrong with it; a detail is of the system, in English.
    func text(_ fault: PrinterFault) -> String
}

extension Language {
    package var printerTexts: any PrinterTexts {
        switch self {
        case .english: EnglishPrinterTexts()
        case .chinese: ChinesePrinterTexts()
        }
    }
}
