import Base
import Crypto
import Foundation
@testable import HubProtocol
import Testing

/// What adds shifts up, compares and signs them.
@Suite("Sums and statements of shifts")
struct ShiftTests {
    /// An entry of a seeded day, with what it moves.
    private struct Entry {
        let type: String
        let payload: JSONValue
        var cash: Int64 = 0
        var card: Int64 = 0
        var tax: Int64 = 0
    }

    /// Sales of one line at 10 %, by cash with change or by card and cash, and refunds and voids of them.
    private func day(seed: UInt64) -> (entries: [Entry], sales: [String: JSONValue]) {
        var random = SplitMix64(seed: seed)
        var (entries, sales): ([Entry], [String: Entry]) = ([], [:])
        for number in 0..<60 {
            let amount = Int64(1 + random.below(5_000))
            let card = random.below(2) == 0 ? Int64(random.below(UInt64(amount))) : 0
            let change = Int64(random.below(100))
            let lines: JSONValue = [["taxBasisPoints": 1_000, "total": .integer(amount)]]
            // Tax included: amount x 1000 / 11000, half up.
            let tax = (amount * 2_000 + 11_000) / 22_000
            let id = "o\(number)"
            let payload: JSONValue = [
                "orderId": .string(id), "total": .integer(amount), "change": .integer(change), "lines": lines,
                "payments": [
                    ["method": "card", "amount": .integer(card)],
                    ["method": "cash", "amount": .integer(amount - card + change)],
                ],
            ]
            let sale = Entry(
                type: "order.completed", payload: payload, cash: amount - card, card: card, tax: tax)
            switch random.below(4) {
            case 0:
                let back: JSONValue = [
                    "total": .integer(amount), "lines": lines,
                    "payments": [["method": "cash", "amount": .integer(amount)]],
                ]
                entries.append(Entry(type: "refund.completed", payload: back, cash: -amount, tax: -tax))
            case 1 where !sales.isEmpty:
                let voided = sales.keys.sorted()[Int(random.below(UInt64(sales.count)))]
                guard let of = sales.removeValue(forKey: voided) else { continue }
                entries.append(
                    Entry(
                        type: "order.voided",
                        payload: ["orderId": .string(voided), "total": of.payload["total"] ?? 0],
                        cash: -of.cash, card: -of.card, tax: -of.tax))
            default:
                sales[id] = sale
                entries.append(sale)
            }
        }
        let known = entries.compactMap { entry in
            entry.payload["orderId"]?.string.map { ($0, entry.payload) }
        }
        return (entries, Dictionary(known) { first, _ in first })
    }

    private func sums(_ entries: ArraySlice<Entry>, _ sales: [String: JSONValue]) throws -> ShiftSums {
        var tally = ShiftTally()
        for (number, entry) in entries.enumerated() {
            let voided = ShiftTally.voidedOrder(by: entry.type, entry.payload).flatMap { sales[$0] }
            tally.add(id: "m\(number)", type: entry.type, payload: entry.payload, voided: voided)
        }
        #expect(tally.sums.uncounted.count == 0)
        return tally.sums
    }

    @Test("What entries come to is what they move one by one", arguments: 1...20 as ClosedRange<UInt64>)
    func tally(seed: UInt64) throws {
        let (entries, sales) = day(seed: seed)
        let whole = try sums(entries[...], sales)
        func tender(_ method: String) -> Int64 {
            whole.tenders.first { $0.method == method }?.amount ?? 0
        }
        #expect(tender("cash") == entries.reduce(0) { $0 + $1.cash })
        #expect(tender("card") == entries.reduce(0) { $0 + $1.card })
        #expect(whole.taxes.map(\.tax) == [entries.reduce(0) { $0 + $1.tax }])
        #expect(whole.taxes.map(\.paid) == [tender("cash") + tender("card")])
        let net = whole.sales.total - whole.refunds.total - whole.voids.total
        #expect(net == tender("cash") + tender("card"))
        #expect(whole.expectedCash(float: 100) == 100 + tender("cash"))
        // Two parts together are the whole, wherever it is cut.
        for cut in stride(from: 0, through: entries.count, by: 7) {
            #expect(
                try sums(entries[..<cut], sales).adding(sums(entries[cut...], sales)) == whole, "\(cut)")
        }
        #expect(try ShiftSums(json: whole.json) == whole)
    }

    @Test("An entry that cannot be added is left out as a whole and named, in whatever order it comes")
    func limits() throws {
        var tally = ShiftTally()
        let most = CashMove(
            moveId: "m", shiftId: "s", kind: .in, amount: 1_000_000_000_000, currency: "CNY", reason: nil,
            cashierId: nil, businessDay: "2026-11-21", timeZone: "Asia/Shanghai")
        tally.add(id: "m0", type: CashMove.type, payload: most.json)
        // A day of a thousand such amounts is one in a currency of small units.
        for number in 1..<1_000 { tally.add(id: "n\(number)", type: CashMove.type, payload: most.json) }
        let before = tally.sums
        #expect(before.uncounted == ShiftSums.Uncounted())
        #expect(try ShiftSums(json: before.json) == before)
        #expect(throws: ShapeError.self) { try before.adding(before) }
        tally.add(id: "note", type: "note.added", payload: [:])
        #expect(tally.sums == before && before.cashMoves[.in] == 1_000_000_000_000_000)
        // The total and the first payment are right, a barcode was tendered behind them.
        let scanned: JSONValue = [
            "total": 500, "change": 0, "lines": [["taxBasisPoints": 0, "total": 500]],
            "payments": [
                ["method": "card", "amount": 100], ["method": "cash", "amount": 690_123_456_789_200],
            ],
        ]
        let named = (10..<35).map { "m\($0)" }
        var other = tally
        for id in named { tally.add(id: id, type: "order.completed", payload: scanned) }
        for id in named.reversed() { other.add(id: id, type: "order.completed", payload: scanned) }
        tally.add(id: "m9", type: CashMove.type, payload: most.json)
        other.add(id: "m9", type: CashMove.type, payload: most.json)
        #expect(tally.sums == other.sums)
        #expect(tally.sums.uncounted.count == 26 && tally.sums.uncounted.ids == Array(named.prefix(20)))
        var rest = tally.sums
        rest.uncounted = ShiftSums.Uncounted()
        #expect(rest == before, "nothing of them is counted")
        #expect(try ShiftSums(json: tally.sums.json) == tally.sums)
        #expect(before.json["uncounted"] == nil)
    }

    @Test("What is expected in the drawer can be read back, however large its figures are")
    func expectedCash() throws {
        var closing = try closing()
        let most: Int64 = 1_000_000_000_000_000
        closing.sums.tenders = [ShiftSums.Tender(method: "cash", count: 1, amount: most)]
        closing.sums.cashMoves[.in] = most
        closing.cash.expected = closing.sums.expectedCash(float: 1_000_000_000_000)
        #expect(closing.cash.expected == 2 * most + 1_000_000_000_000)
        #expect(try ShiftClosing(json: closing.json) == closing)
        closing.sums.tenders = [ShiftSums.Tender(method: "cash", count: 1, amount: -most)]
        (closing.sums.cashMoves[.in], closing.sums.cashMoves[.out]) = (0, most)
        closing.sums.cashMoves[.drop] = most
        closing.cash.expected = closing.sums.expectedCash(float: 0)
        #expect(try ShiftClosing(json: closing.json) == closing)
    }

    private func statement(_ closing: ShiftClosing, epoch: Int64 = 1) -> ShiftStatement {
        ShiftStatement(
            terminalId: "t", epoch: epoch, shiftId: "s", from: closing.from, to: closing.to,
            head: closing.head, received: closing.to - closing.from + 1, currency: "CNY",
            sums: closing.sums, issuedAt: 5_000)
    }

    private func closing() throws -> ShiftClosing {
        let (entries, sales) = day(seed: 5)
        let opening = ShiftOpening(
            shiftId: "s", businessDay: "2026-11-21", timeZone: "Asia/Shanghai", currency: "CNY",
            openedAt: 1_000, openedBy: nil, float: 500)
        let sums = try sums(entries[...], sales)
        let expected = sums.expectedCash(float: opening.float)
        return ShiftClosing(
            opening: opening, closedAt: 2_000, closedBy: nil,
            cash: ShiftClosing.Cash(expected: expected, counted: 7), counted: [],
            sums: sums, from: 2, to: 9, head: "abc")
    }

    @Test("Every tender of the kind cash is in the drawer, whatever it is called")
    func cashTenders() throws {
        let sale: JSONValue = [
            "orderId": "o", "total": 450, "change": 550, "lines": [["taxBasisPoints": 0, "total": 450]],
            "payments": [["method": "fx", "kind": "cash", "amount": 1_000]],
        ]
        var tally = ShiftTally()
        tally.add(id: "1", type: "order.completed", payload: sale)
        #expect(tally.sums.tenders == [ShiftSums.Tender(method: "cash", count: 1, amount: 450)])
        #expect(tally.sums.expectedCash(float: 1_000) == 1_450)
        tally.add(
            id: "2", type: "order.voided", payload: ["orderId": "o", "total": 450], voided: sale)
        #expect(tally.sums.expectedCash(float: 1_000) == 1_000)
    }

    @Test("A shift is provisional until its last part came, then confirmed or disputed with what differs")
    func settlement() throws {
        let closing = try closing()
        func settled(_ statements: [ShiftStatement], _ epoch: Int64? = 1) -> ShiftSettlement {
            ShiftSettlement(closing, statements, arrivedIn: epoch)
        }
        #expect(settled([]).state == .provisional)
        #expect(settled([statement(closing)], nil).state == .provisional, "the hub does not have the closing")
        #expect(settled([statement(closing)]).state == .confirmed)
        // A statement of the time before the database was restored, and then the one of now.
        var early = statement(closing)
        (early.to, early.received, early.head) = (8, 7, "ab")
        #expect(settled([early], 2).state == .provisional)
        var rest = statement(closing, epoch: 2)
        rest.sums = ShiftSums()
        early.sums = closing.sums
        #expect(settled([early, rest], 2).state == .confirmed)
        // The hub has another end of the shift than this database.
        #expect(settled([early]).state == .disputed)
        var clone = rest
        (clone.to, clone.head) = (7, "cd")
        #expect(settled([statement(closing), clone]).state == .disputed)
        // What was confirmed stays so in a later epoch.
        #expect(settled([statement(closing)], 2).state == .confirmed)
        var short = statement(closing)
        short.received -= 1
        #expect(settled([short]).differences.map(\.figure) == ["gap"])
        var other = statement(closing)
        other.sums.tenders[0].amount += 1
        other.sums.taxes = []
        let found = settled([other])
        #expect(found.state == .disputed)
        #expect(
            found.differences.map(\.figure)
                == ["taxes.1000.paid", "taxes.1000.tax", "tenders.card.amount"])
    }

    @Test("A file proves a shift only by the statements of that shift, all of them")
    func proof() throws {
        let key = Curve25519.Signing.PrivateKey()
        let known = [
            HubPublicKey(
                id: "k1", publicKey: key.publicKey.rawRepresentation.base64EncodedString(),
                notAfter: "2031-01-01T00:00:00.000Z")
        ]
        func signed(_ statement: ShiftStatement) throws -> ShiftStatement {
            var signed = statement
            signed.keyId = "k1"
            signed.signature = try key.signature(for: signed.signedBytes).base64EncodedString()
            return signed
        }
        let closing = try closing()
        var before = statement(closing)
        (before.to, before.head, before.received) = (5, "ab", 4)
        var after = statement(closing, epoch: 2)
        after.sums = ShiftSums()
        let statements = [try signed(before), try signed(after)]
        var document = closing.json.object ?? [:]
        document["state"] = "confirmed"
        document["statement"] = statements[1].json
        document["statements"] = .array(statements.map(\.json))
        #expect(try ShiftProof(json: .object(document)).signers(among: known)?.count == 2)
        #expect(try ShiftProof(json: statements[0].json).signers(among: known)?.count == 1)
        // One of several that was changed is found, wherever it stands.
        for place in 0..<2 {
            var changed = statements
            changed[place].sums.cashMoves[.noSale] += 1
            var other = document
            other["statement"] = changed[1].json
            other["statements"] = .array(changed.map(\.json))
            other["state"] = "disputed"
            #expect(try ShiftProof(json: .object(other)).signers(among: known) == nil)
        }
        func objection(_ change: (inout JSONObject) throws -> Void) rethrows -> String? {
            var other = document
            try change(&other)
            do throws(ShapeError) {
                _ = try ShiftProof(json: .object(other))
                return nil
            } catch {
                return error.path
            }
        }
        #expect(objection { $0["shiftId"] = "other" } == "statements[0].shiftId")
        #expect(objection { $0["terminalId"] = "other" } == "statements[0].terminalId")
        #expect(objection { $0["currency"] = "EUR" } == "statements[0].currency")
        #expect(objection { $0["head"] = "abd" } == "head")
        #expect(objection { $0["sequence"] = ["from": 2, "to": 10] } == "sequence.to")
        for state in ["confirmed", "provisional", "open"] {
            #expect(
                objection {
                    $0["state"] = .string(state)
                    $0["sales"] = ["count": 1, "total": 1]
                } == "sums")
        }
        func cash(_ expected: Int64, _ counted: JSONValue, _ difference: JSONValue) -> String? {
            objection {
                $0["cash"] = [
                    "expected": .integer(closing.cash.expected + expected), "counted": counted,
                    "difference": difference,
                ]
            }
        }
        #expect(cash(1, .null, .null) == "cash.expected")
        #expect(cash(0, .null, .null) == nil)
        #expect(cash(0, 8, .integer(7 - closing.cash.expected)) == "cash.difference")
        #expect(cash(0, 8, .integer(8 - closing.cash.expected)) == nil)
        #expect(objection { $0["float"] = 501 } == "cash.expected")
        #expect(objection { $0["statement"] = statements[0].json } == "statement")
        #expect(objection { $0["statements"] = .array(statements.reversed().map(\.json)) } == "statement")
        #expect(objection { ($0["statement"], $0["statements"]) = (.null, []) } == "statement")
        let old = try signed(statement(closing))
        #expect(objection { ($0["statement"], $0["statements"]) = (old.json, .null) } == nil)
        #expect(
            objection {
                $0["state"] = "disputed"; $0["head"] = "abd"
            } == nil)
    }

    @Test("Each figure that can differ has a name in both languages, and amounts differ from counts")
    func figures() throws {
        let (english, chinese) = (Language.english.sharedTexts, Language.chinese.sharedTexts)
        var sums = try closing().sums
        sums.tenders.append(ShiftSums.Tender(method: "x.count", count: 1, amount: 2))
        for kind in CashMove.Kind.allCases { sums.cashMoves[kind] = 1 }
        (sums.pointsEarned, sums.pointsSpent) = (1, 1)
        let paths = sums.differences(from: ShiftSums()).map(\.figure) + ["gap", "behind", "uncounted"]
        for path in paths {
            let figure = ShiftFigure(path)
            #expect(figure != .other(path) && !english.name(figure).contains(".amount"), "\(path)")
            #expect(chinese.name(figure) != english.name(figure))
        }
        #expect(ShiftFigure("tenders.x.count.count") == .tenderCount("x.count"))
        #expect(ShiftFigure("tenders.cash.amount").isAmount && !ShiftFigure("cashMoves.noSale").isAmount)
        #expect(english.name(ShiftFigure("taxes.1050.tax")) == "Tax at 10.5 %")
        #expect(chinese.name(ShiftFigure("later.figure")) == "later.figure")
    }

    @Test("A statement is the signer's; one that was changed, or names another key, is nobody's")
    func signature() throws {
        let (own, stranger) = (Curve25519.Signing.PrivateKey(), Curve25519.Signing.PrivateKey())
        var statement = statement(try closing())
        statement.keyId = "k1"
        statement.signature = try own.signature(for: statement.signedBytes).base64EncodedString()
        func publicKey(_ key: Curve25519.Signing.PrivateKey) -> HubPublicKey {
            HubPublicKey(
                id: "k1", publicKey: key.publicKey.rawRepresentation.base64EncodedString(),
                notAfter: "2031-01-01T00:00:00.000Z")
        }
        let (key, other) = (publicKey(own), publicKey(stranger))
        #expect(statement.signer(among: [other, key]) == key)
        #expect(statement.signer(among: [other]) == nil)
        #expect(try ShiftStatement(json: statement.json) == statement)
        for (name, value) in statement.json.object ?? [:] where name != "signature" {
            var members = statement.json.object ?? [:]
            members[name] =
                switch value {
                case .integer(let number): .integer(number + 1)
                case .string(let text) where name != "issuedAt": .string(text + "x")
                case .object(var sums):
                    {
                        sums["points"] = ["earned": 1, "spent": 0]
                        return .object(sums)
                    }()
                default: .string("2026-11-21T00:00:00.000Z")
                }
            // What contradicts itself is no statement; of anything else the signature is wrong.
            guard let changed = try? ShiftStatement(json: .object(members)) else { continue }
            #expect(changed.signer(among: [key]) == nil, "\(name)")
        }
    }
}
