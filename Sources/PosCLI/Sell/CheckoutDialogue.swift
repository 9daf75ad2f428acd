internal import Foundation
internal import HubProtocol
internal import Terminal

/// The interactive checkout: scan, quantity, discount, tender, receipt, with the banner above every prompt.
struct CheckoutDialogue {
    let connection: any AgentConnection
    let cashier: String?
    let pin: String?

    private static let help = """
        scan or type a barcode, BARCODE:QTY for more than one
        d AMOUNT   discount on the last line, in minor units
        x          takes the last line off
        m ID       member, by id or telephone number
        c CODE     coupon; alone: takes the last one away
        pay [METHOD[:AMOUNT]]        cash or card; alone: exact cash
        offline [REASON] · online    the manual switch
        retry      asks the hub again now
        q          leaves
        """

    func run() async throws {
        var cart = Cart(cashier: cashier, pin: pin)
        var lines = InputLines(loop: try ProgramLoop.get())
        Output.line("barcode, or ? for help")
        let watch = BannerWatch()
        watch.show(try await connection.document(AgentRequest("GET", AgentRoutes.status)))
        let follower = Task { await BannerFeed.follow(connection, watch) { _ in } }
        defer { follower.cancel() }
        while true {
            Output.line([watch.banner, watch.countdown].compactMap(\.self).joined(separator: " · "))
            Output.text(cart.lines.isEmpty ? "> " : "[\(cart.lines.count)] > ")
            guard let typed = await lines.next() else { return }
            let words = typed.split(separator: " ", maxSplits: 1).map(String.init)
            guard let word = words.first else { continue }
            if word == "q" { return }
            do {
                try await obey(word, words.count > 1 ? words[1] : nil, typed: typed, cart: &cart)
                guard word == "offline" || word == "online" else { continue }
                watch.show(try await connection.document(AgentRequest("GET", AgentRoutes.status)))
            } catch let error as TerminalError where error.code != "agent_gone" {
                Output.line("! " + error.message)
            }
        }
    }

    private func obey(_ word: String, _ rest: String?, typed: String, cart: inout Cart) async throws {
        switch word {
        case "?", "help": Output.line(Self.help)
        case "x": cart.removeLast()
        case "d": try cart.discountLast(rest)
        case "m": cart.member = rest
        case "c": cart.changeCoupons(adding: rest)
        case "pay": try await pay(rest, cart: &cart)
        case "offline": try await setManual(true, reason: rest)
        case "online": try await setManual(false, reason: nil)
        case "retry": _ = try await connection.document(AgentRequest("POST", AgentRoutes.retry))
        default: try await scan(typed, cart: &cart)
        }
    }

    private func scan(_ text: String, cart: inout Cart) async throws {
        let line: JSONValue
        do {
            line = try SaleArguments.line(text.trimmingCharacters(in: .whitespaces))
        } catch {
            throw TerminalError(.usage, code: "malformed_line", "\(error)")
        }
        let barcode = line["barcode"]?.string ?? ""
        let product = try await connection.document(
            AgentRequest("GET", AgentRoutes.products, query: ["barcode": barcode]))
        cart.lines.append(line)
        let price: JSONValue = [
            "amount": product["priceMinor"] ?? 0, "currency": product["currency"] ?? .null,
        ]
        Output.line("  \(product["name"]?.string ?? barcode)  \(OutboxText.money(price))")
    }

    private func pay(_ text: String?, cart: inout Cart) async throws {
        guard !cart.lines.isEmpty else {
            throw TerminalError(.usage, code: "empty_sale", "nothing scanned yet")
        }
        let body: JSONValue
        do {
            body = try cart.request(paying: text)
        } catch {
            throw TerminalError(.usage, code: "malformed_payment", "\(error)")
        }
        let answer = try await connection.document(AgentRequest("POST", AgentRoutes.sales, body: body))
        Output.line(answer["receipt"]?.string ?? answer.canonicalText)
        cart = Cart(cashier: cashier, pin: pin)
    }

    private func setManual(_ isOn: Bool, reason: String?) async throws {
        let body: JSONValue = ["on": .bool(isOn), "reason": JSONValue(reason), "by": JSONValue(cashier)]
        _ = try await connection.document(AgentRequest("POST", AgentRoutes.manual, body: body))
    }
}

/// What was scanned so far. One key for the whole sale, so that paying twice by mistake sells once.
private struct Cart {
    var lines: [JSONValue] = []
    var member: String?
    var coupons: [String] = []
    let cashier: String?
    let pin: String?
    private let key = SaleKey.mint()

    init(cashier: String?, pin: String?) {
        self.cashier = cashier
        self.pin = pin
    }

    /// Without a code the last coupon goes: one that was refused must not hold up the sale.
    mutating func changeCoupons(adding code: String?) {
        if let code { coupons.append(code) } else { _ = coupons.popLast() }
    }

    mutating func removeLast() {
        _ = lines.popLast()
    }

    mutating func discountLast(_ text: String?) throws(TerminalError) {
        guard let amount = text.flatMap({ Int64($0) }), case .object(var line)? = lines.last else {
            throw TerminalError(.usage, code: "malformed_discount", "d AMOUNT, behind a scanned line")
        }
        line["discountMinor"] = .integer(amount)
        lines[lines.count - 1] = .object(line)
    }

    func request(paying text: String?) throws -> JSONValue {
        var members: JSONObject = [
            "key": .string(key), "lines": .array(lines), "coupons": .array(coupons.map(JSONValue.string)),
            "payments": .array(try text.map { [try SaleArguments.payment($0)] } ?? []),
        ]
        members["memberId"] = member.map(JSONValue.string)
        members["cashierId"] = cashier.map(JSONValue.string)
        members["pin"] = pin.map(JSONValue.string)
        return .object(members)
    }
}
