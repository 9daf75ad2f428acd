internal import Base

extension CartObstacle {
    /// - Parameter cart: its id.
    func chinese(_ cart: String) -> String {
        switch self {
        case .unknown: CartRefusal.unknownCart(cart).text(in: .chinese)
        case .granted(let taker): "此单现在本店另一台收银机（\(taker)）；请在那里结账，或从那里取回。"
        case .sold: "此单已成交；无需再收款。"
        case .inUse: "此单正在那台收银机的屏幕上；请先在那里挂单，再取单。"
        case .hasMoney: "此单已收款，或可能已刷卡；请在那台收银机结账。"
        case .notGiven: "那台收银机不能转出此单；请在那里结账。"
        case .tooMany: "本机取来的单已有五张未结账；请先处理其中一张。"
        case .silent: "那台收银机没有响应；请再试，或用 `pos cart copy \(cart)` 复制为新单。"
        case .notReady: "本机尚未核对与其他收银机的记录；请几秒后再试（`pos neighbours`）。"
        case .doubled(let till):
            "另一台收银机（\(till)）也有此单，或已成交；未作任何更改。请先核实，再由主管批准（--approver）继续。"
        case .contentUnknown: "那台收银机没有响应，本机也不知道此单的内容。"
        case .notKept: CartRefusal.notRecorded(detail: "").text(in: .chinese)
        }
    }
}
