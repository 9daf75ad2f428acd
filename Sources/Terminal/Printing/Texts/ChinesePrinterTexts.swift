struct ChinesePrinterTexts: PrinterTexts {
    var copy: String { "*** COPY 副本 ***" }
    var letters: String { "中文测试 ABC 123 ￥" }

    func text(_ fault: PrinterFault) -> String {
        switch fault {
        case .paperOut: "缺纸"
        case .noResponse(let detail): "没有应答（\(detail)）"
        }
    }
}
