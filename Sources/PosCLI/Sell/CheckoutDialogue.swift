internal import Foundation
internal import Glibc
internal import HubProtocol
internal import Terminal

/// The interactive checkout: scan, quantity, discount, tender, receipt, with the banner above every prompt.
struct CheckoutDialogue {
    let connection: any AgentConnection
    /// The members that say who sells, where that is not whoever is signed in.
    let person: JSONObject

    private static let help = """
        scan or type a barcode, BARCODE:QTY for more than one
        d AMOUNT   discount on the last line, in minor units
        x          takes the last line off
        m ID       member, by id or telephone number
        c CODE     coupon; alone: takes the last one away
        pay [METHOD[:AMOUNT]]        cash or card; alone: exact cash
        s ID       signs a cashier in, s alone signs out; the PIN is asked for
        a ID       who approves the next payment or switch; the PIN is asked for
        offline [REASON] · online    the manual switch
        retry      asks the hub again now
        q          leaves
        """

    func run() async throws {
        var cart = Cart(person: person)
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
                if word == "s" || word == "a" {
                    try await identify(word, words.count > 1 ? words[1] : nil, &lines, cart: &cart)
                    continue
                }
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
        case "offline": try await setManual(true, reason: rest, by: &cart)
        case "online": try await setManual(false, reason: nil, by: &cart)
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
        cart = Cart(person: person)
    }

    /// Signs somebody in or out, or notes who approves what comes next.
    private func identify(
        _ word: String, _ id: String?, _ lines: inout InputLines, cart: inout Cart
    ) async throws {
        guard let id else {
            guard word == "s" else {
                throw TerminalError(.usage, code: "approver_missing", "a ID, of a manager")
            }
            let document = try await connection.document(AgentRequest("POST", AgentRoutes.sessionEnd))
            return Output.line(SignInText.line(document))
        }
        Output.text("PIN of \(id): ")
        let before = PINEntry.hideInput(of: STDIN_FILENO, byKey: false)
        let typed = await lines.next()
        if let before {
            PINEntry.restore(before, of: STDIN_FILENO)
            Output.line("")
        }
        guard let pin = typed, !pin.isEmpty else { return }
        guard word == "s" else {
            cart.person["approver"] = ["id": .string(id), "pin": .string(pin)]
            return
        }
        let body: JSONValue = ["cashierId": .string(id), "pin": .string(pin)]
        let document = try await connection.document(AgentRequest("POST", AgentRoutes.session, body: body))
        Output.line(SignInText.line(document))
    }

    private func setManual(_ isOn: Bool, reason: String?, by cart: inout Cart) async throws {
        var body = cart.person
        body["on"] = .bool(isOn)
        body["reason"] = JSONValue(reason)
        body["by"] = person["cashierId"] ?? .null
        _ = try await connection.document(AgentRequest("POST", AgentRoutes.manual, body: .object(body)))
        cart.person["approver"] = person["approver"]
    }
}

/// What was scanned so far. One key for the whole sale, so that paying twice by mistake sells once.
private struct Cart {
    var lines: [JSONValue] = []
    var member: String?
    var coupons: [String] = []
    /// Who sells, and who approves it.
    var person: JSONObject
    private let key = SaleKey.mint()

    init(person: JSONObject) {
        self.person = person
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
        for (name, value) in person { members[name] = value }
        return .object(members)
    }
}
