import Testing

@testable import HubProtocol

@Suite("Payloads of shifts, points, leases and payments")
struct PayloadTests {
    private static let opening = ShiftOpening(
        shiftId: "01ARZ3NDEKTSV4RRFFQ69G5FAV", businessDay: "2026-11-23", timeZone: "Asia/Shanghai",
        currency: "CNY", openedAt: 1_790_000_000_123, openedBy: "7", approverId: "M", float: 50_000)

    private static var closing: ShiftClosing {
        var sums = ShiftSums()
        sums.sales = .init(count: 3, total: 4_500)
        sums.refunds = .init(count: 1, total: 500)
        sums.cashMoves[.in] = 100
        sums.cashMoves[.drop] = 40
        sums.cashMoves[.noSale] = 2
        sums.tenders = [
            .init(method: "card", count: 1, amount: -20), .init(method: "cash", count: 3, amount: 4_020),
        ]
        sums.taxes = [.init(taxBasisPoints: 1_300, paid: 4_000, tax: 460)]
        sums.pointsEarned = 40
        sums.pointsSpent = -3
        return ShiftClosing(
            opening: opening, closedAt: 1_790_000_900_000, closedBy: nil, closeApproverId: "m1",
            cash: .init(expected: 54_080, counted: 54_000),
            counted: [.init(method: "voucher", amount: 0)], sums: sums, from: 12, to: 40,
            head: String(repeating: "a", count: 64))
    }

    @Test("a shift's opening, its closing and a cash move are read back as they were written")
    func shifts() throws {
        #expect(try ShiftOpening(json: Self.opening.json) == Self.opening)
        #expect(try ShiftClosing(json: Self.closing.json) == Self.closing)
        #expect(Self.closing.json["cash"]?["difference"] == -80)
        for kind in CashMove.Kind.allCases {
            let move = CashMove(
                moveId: "m", shiftId: kind == .in ? nil : "s", kind: kind, amount: 5, currency: "JPY",
                reason: nil, cashierId: nil, businessDay: "2026-11-23", timeZone: "Asia/Tokyo")
            #expect(try CashMove(json: move.json) == move)
        }
    }

    @Test("every member of a closing is looked at: missing or out of range it is no closing")
    func damagedClosing() throws {
        let optional: Set<String> = ["approverId", "closeApproverId", "openedBy", "closedBy", "points"]
        let whole = try #require(Self.closing.json.object)
        for (name, _) in whole where !optional.contains(name) {
            var damaged = whole
            damaged[name] = nil
            #expect(throws: ShapeError.self, "\(name)") { try ShiftClosing(json: .object(damaged)) }
        }
        var reversed = whole
        reversed["sequence"] = ["from": 12, "to": 11]
        #expect(throws: ShapeError.self) { try ShiftClosing(json: .object(reversed)) }
        var huge = whole
        huge["float"] = 1_000_000_000_001
        #expect(throws: ShapeError.self) { try ShiftClosing(json: .object(huge)) }
    }

    @Test("points and leases are written in canonical form, and nothing negative is read")
    func pointsAndLeases() throws {
        let points = SalePoints(earned: 12, spent: 100, value: 1_000)
        let written = try JSONParser.parse(points.canonical.bytes)
        #expect(written.canonicalBytes == points.canonical.bytes)
        #expect(try SalePoints(written, .received) == points)
        #expect(points.delta == -88)
        let returned = ReturnedPoints(earnedReturned: 4, spentReturned: 9)
        #expect(try ReturnedPoints(JSONParser.parse(returned.canonical.bytes), .received) == returned)
        #expect(returned.delta == 5)
        #expect(throws: ShapeError.self) {
            try SalePoints(["earned": -1, "spent": 0, "value": 0], .received)
        }
        for kind in LeaseKind.allCases {
            let use = LeaseUse(leaseId: "L", kind: kind, subject: "M1 \"x\"", amount: 3)
            let json = try JSONParser.parse(use.canonical.bytes)
            #expect(json.canonicalBytes == use.canonical.bytes)
            #expect(try VoidedOrder(json: ["leases": .array([json])]).leases == [use])
        }
        #expect(try VoidedOrder(json: [:]).leases == nil)
        #expect(throws: ShapeError.self) {
            try LeaseUse(["leaseId": "L", "kind": "points", "subject": "M", "amount": 0], .received)
        }
    }
}
