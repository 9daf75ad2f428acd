internal import Base
internal import HubProtocol

struct ChineseReportTexts: ReportTexts {
    func title(of kind: CashMove.Kind) -> String {
        switch kind {
        case .in: "现金存入"
        case .out: "现金支出"
        case .drop: "解款"
        case .noSale: "开钱箱"
        }
    }

    func name(_ figure: ShiftFigure) -> String { Language.chinese.sharedTexts.name(figure) }

    var xReport: String { "班中报表 X" }
    var zReport: String { "交班报表 Z" }
    func shift(_ id: String) -> String { "班次 \(id)" }
    func opened(_ moment: String) -> String { "开班 \(moment)" }
    func closed(_ moment: String) -> String { "交班 \(moment)" }

    func notCounted(_ count: Int64) -> String { "未计入：\(count)" }
    var amountsAfterCount: String { "清点后显示金额。" }
    func net(_ currency: String) -> String { "净额 \(currency)" }
    func tender(_ method: String) -> String {
        switch method {
        case "cash": "现金"
        case "card": "刷卡"
        case _: method
        }
    }
    func counted(_ tender: String) -> String { "\(tender) 清点" }
    func difference(of tender: String) -> String { "\(tender) 差额" }
    var cashRounding: String { "其中现金舍入" }
    var float: String { "备用金" }
    var cashExpected: String { "应有现金" }
    var cashCounted: String { "实点现金" }
    var difference: String { "差额" }
    func tax(_ rate: String, of paid: String) -> String { "税额 \(rate) %（含税金额 \(paid)）" }

    var cardMachineDay: String { "刷卡机日结" }
    var tillWithCardMachine: String { "本机经刷卡机" }
    func decided(by person: String) -> String { "由 \(person) 判定" }
    func decided(_ decision: CardDecision) -> String {
        switch (decision.purpose, decision.verdict) {
        case (.charge, .charged): "刷卡：认定已扣款"
        case (.charge, .notCharged): "刷卡：认定未扣款"
        case (.reversal, .charged): "刷卡：认定已撤销"
        case (.reversal, .notCharged): "刷卡：认定未撤销"
        case (.refund, .charged): "刷卡：认定已退款"
        case (.refund, .notCharged): "刷卡：认定未退款"
        }
    }
    var cardsRefused: String { "离线刷卡事后被拒" }
    var noReason: String { "未说明原因" }
    func settled(_ reason: String) -> String { "已结清：\(reason)" }
    var owed: String { "未结欠款" }
    var customersOwe: String { "顾客尚欠：请告知店长" }

    func entriesSoFar(_ count: Int64) -> String { "至今 \(count) 条记录" }
    func entries(_ count: Int64) -> String { "\(count) 条记录" }
    func entries(_ count: Int64, received: Int64, gap: Int64) -> String {
        "\(count) 条记录，已收 \(received)，缺 \(gap)"
    }
    var provisional: String { "待总部核对" }
    var confirmed: String { "总部已确认" }
    var disputed: String { "有争议：总部金额不同" }
    var endsDiffer: String { "流水结尾不同。" }
    func ofTill(_ value: String) -> String { "  本机 \(value)" }
    func ofHub(_ value: String) -> String { "总部 \(value)" }
}
