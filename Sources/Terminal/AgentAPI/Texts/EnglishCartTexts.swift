struct EnglishCartTexts: CartTexts {
    func lines(_ count: Int) -> String { count == 1 ? "1 line" : "\(count) lines" }

    func comingBack(_ articles: Int) -> String {
        switch articles {
        case 0: "goods come back"
        case 1: "1 article comes back"
        default: "\(articles) articles come back"
        }
    }

    func handBack(_ amount: String, method: String, reference: String?) -> String {
        let number = reference.map { " (\($0))" } ?? ""
        return "Hand back \(amount), \(method.lowercased())\(number)"
    }

    func notCharged(_ amount: String, method: String) -> String {
        "\(method) \(amount): nothing was charged"
    }
}
