internal import OfflineMode

struct ChineseReceiptTexts: ReceiptTexts {
    func number(_ number: String) -> String { "单号 \(number)" }
    func of(_ number: String) -> String { "原单 \(number)" }
    var withoutReceipt: String { "无小票退货" }
    func cashier(_ id: String) -> String { "收银员 \(id)" }
    func member(_ name: String) -> String { "会员 \(name)" }
    func reason(_ text: String) -> String { "原因：\(text)" }
    func mark(_ mark: ReceiptMark) -> String {
        switch mark {
        case .void: "作废"
        case .refund: "退货"
        case .offline: "离线"
        case .copy: "副本"
        case .simulated: "模拟"
        }
    }

    var discount: String { "  折扣" }
    var points: String { "  积分抵扣" }
    func back(_ quantity: String) -> String { "  退 \(quantity)" }

    func total(_ currency: String) -> String { "合计 \(currency)" }
    var cashRounding: String { "现金舍入" }
    var change: String { "找零" }
    func tax(_ rate: String, of paid: String) -> String { "税额 \(rate) %（含税金额 \(paid)）" }

    var cash: String { "现金" }
    func card(_ code: String) -> String { "刷卡 \(code)" }
    var notApprovedYet: String { "（待授权）" }
    var goodsReturned: String { "退回商品" }
    var usedForExchange: String { "抵作换货款" }
    var cashBack: String { "退还现金" }
    func back(to payment: String) -> String { "退回 \(payment)" }
    func unpaid(by payment: String) -> String { "未付：\(payment)" }
    var refusedAfterSale: [String] { ["  该卡事后被拒，无款可退"] }

    func backByHub(_ sync: SyncState) -> [String] {
        switch sync {
        case .acknowledged, .superseded: []
        case .pending: ["  总部收到后退回原卡"]
        case .rejected, .conflicted, .discarded: ["  总部拒绝，未退回原卡"]
        }
    }

    func backToCard(_ state: CardReturn.State) -> [String] {
        switch state {
        case .returned: []
        case .requested: ["  已申请退回原卡"]
        case .waiting: ["  待刷卡机连通后退回原卡"]
        case .waitingForCard: ["  待持卡人在刷卡机上出示卡后退回"]
        case .refused(let reason): ["  刷卡机拒绝退款：\(reason)", "  请付现金"]
        case .paidInCash: ["  已改付现金"]
        }
    }

    func earned(_ points: Int64) -> String { "本单积分：\(points)" }
    func spent(_ points: Int64) -> String { "使用积分：\(points)" }
    func takenBack(_ points: Int64) -> String { "扣回积分：\(points)" }
    func givenBack(_ points: Int64) -> String { "退还积分：\(points)" }
    var recordedOffline: String { "离线记录，恢复后上传" }
    func code(_ shortCode: String) -> String { "校验码 \(shortCode)" }
}
