struct EnglishPrinterTexts: PrinterTexts {
    var copy: String { "*** COPY ***" }
    var letters: String { "ABC abc 123 äöü €" }

    func text(_ fault: PrinterFault) -> String {
        switch fault {
        case .paperOut: "out of paper"
        case .noResponse(let detail): detail
        }
    }
}
