struct ChinesePrinterTexts: PrinterTexts {
    var copy: String { "*** COPY 副本 ***" }
    var letters: String { "中文测试 ABC 123 ￥" }
}
