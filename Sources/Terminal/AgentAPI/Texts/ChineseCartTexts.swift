struct ChineseCartTexts: CartTexts {
    func lines(_ count: Int) -> String { "\(count) 行" }

    func comingBack(_ articles: Int) -> String { articles == 0 ? "有商品退回" : "退回 \(articles) 种商品" }

    func handBack(_ amount: String, method: String, reference: String?) -> String {
        let number = reference.map { "（\($0)）" } ?? ""
        return "退回 \(amount)，\(method)\(number)"
    }

    func notCharged(_ amount: String, method: String) -> String { "\(method) \(amount)：未扣款" }

    func goOn(_ content: String, _ money: String?) -> String {
        [content, money].compactMap(\.self).joined(separator: "，") + "：继续？"
    }
    func taken(_ money: String) -> String { "已收 \(money)" }

    var givingUp: String { "正在取消 …" }
    var notNow: String { "不可用" }
    var noPaperWaits: String { "没有等待打印的单据。" }
    func refunded(_ money: String) -> String { "已退 \(money)" }
    func giveBack(_ money: String) -> String { "应退 \(money)" }
    func priceChanged(of name: String, from was: String, to now: String) -> String {
        "\(name) 的价格已由 \(was) 变为 \(now)。"
    }
    func pointsOnce(_ points: Int64) -> String { "会员曾有 \(points)" }
    func pointsOfMember(_ points: Int64) -> String { "会员共 \(points)" }
    func spendable(_ points: Int64) -> String { "目前可用 \(points)" }

    func method(_ method: String) -> String {
        switch method {
        case "cash": "现金"
        case "card": "刷卡"
        case "points": "积分"
        default: method
        }
    }

    func role(_ role: String) -> String {
        switch role {
        case "manager": "主管"
        case "cashier": "收银员"
        default: role
        }
    }
}
