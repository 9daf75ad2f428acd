struct EnglishPrinterTexts: PrinterTexts {
    var copy: String { "*** COPY ***" }
    var letters: String { "ABC abc 123 äöü €" }
}
