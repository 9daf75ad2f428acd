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

    func goOn(_ content: String, _ money: String?) -> String {
        [content, money].compactMap(\.self).joined(separator: ", ") + ": go on?"
    }
    func taken(_ money: String) -> String { "\(money) taken" }

    var givingUp: String { "Giving it up …" }
    var notNow: String { "not now" }
    var noPaperWaits: String { "No paper waits." }
    func refunded(_ money: String) -> String { "refunded \(money)" }
    func giveBack(_ money: String) -> String { "give back \(money)" }
    func priceChanged(of name: String, from was: String, to now: String) -> String {
        "The price of \(name) is \(now) now, it was \(was)."
    }
    func pointsOnce(_ points: Int64) -> String { "the member had \(points)" }
    func pointsOfMember(_ points: Int64) -> String { "\(points) of the member" }
    func spendable(_ points: Int64) -> String { "\(points) can be spent now" }

    func method(_ method: String) -> String {
        switch method {
        case "cash": "Cash"
        case "card": "Card"
        case "points": "Points"
        default: method
        }
    }

    func role(_ role: String) -> String { role }
}
