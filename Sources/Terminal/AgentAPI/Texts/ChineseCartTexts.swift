struct ChineseCartTexts: CartTexts {
    func lines(_ count: Int) -> String { "\(count) 行" }

    func comingBack(_ articles: Int) -> String { articles == 0 ? "有商品退回" : "退回 \(articles) 种商品" }

    func handBack(_ amount: String, method: String, reference: String?) -> String {
        let number = reference.map { "（\($0)）" } ?? ""
        return "退回 \(amount)，\(method)\(number)"
    }

    func notCharged(_ amount: String, method: String) -> String { "\(method) \(amount)：未扣款" }
}
