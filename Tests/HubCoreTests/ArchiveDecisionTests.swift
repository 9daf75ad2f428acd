import HubProtocol
import Testing

@testable import HubCore

@Suite("Which days may go into an archive")
struct ArchiveDecisionTests {
    private typealias Obstacle = ArchiveDecision.Obstacle

    private struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    /// Days of 2026 by their number, from 0; a month has 28 of them.
    private static func day(_ number: Int) -> String {
        let (month, day) = (number / 28 + 1, number % 28 + 1)
        return "2026-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
    }

    @Test("Of random facts a day goes if it is wanted, old enough, and nothing is open on it or before it")
    func oracle() {
        var random = Seeded(state: 7)
        let today = "2026-12-28"
        for _ in 0..<400 {
            let before = Self.day(.random(in: 0..<330, using: &random))
            let obstacles = (0..<Int.random(in: 0...3, using: &random)).map { index in
                Obstacle(
                    Obstacle.Kind.allCases.randomElement(using: &random) ?? .debt,
                    on: Self.day(.random(in: 0..<330, using: &random)), "o\(index)")
            }
            let decision = ArchiveDecision(before: before, today: today, obstacles: obstacles)
            for number in 0..<335 {
                let day = Self.day(number)
                // 2026-07-01 is 180 days before 2026-12-28.
                let goes = day < before && day < "2026-07-01" && !obstacles.contains { $0.day <= day }
                #expect((day < decision.firstKept) == goes, "\(day) \(before) \(obstacles)")
            }
            #expect(
                Set(decision.obstacles)
                    == Set(obstacles.filter { $0.day < min(before, "2026-07-01") }))
        }
    }

    @Test("Every obstacle names what it is of, and what to do")
    func texts() {
        for kind in Obstacle.Kind.allCases {
            let text = Obstacle(kind, on: "2026-01-02", "SUBJECT").text
            #expect(text.hasPrefix("2026-01-02: ") && text.contains("SUBJECT"), "\(text)")
        }
    }

    @Test("A day that had not come when its document arrived counts as the day of arrival")
    func implausible() {
        var common = JournalCommons()
        common.receivedAt = "2026-01-05T10:00:00.000Z"
        #expect(ArchiveDecision.day(of: common) == "2026-01-05")
        for (named, counted) in [
            ("2026-01-04", "2026-01-04"), ("2026-01-06", "2026-01-06"), ("2999-12-31", "2026-01-05"),
            ("1970-01-01", "1970-01-01"),
        ] {
            common.businessDay = named
            #expect(ArchiveDecision.day(of: common) == counted)
        }
    }

    @Test("The stub of a sale comes to the same amounts, taxes and tenders; of other entries little is left")
    func stubs() throws {
        let payload: JSONValue = [
            "orderId": "O", "orderNumber": "S1-1-20260101-1", "currency": "CNY", "total": 930, "tax": 60,
            "change": 70, "cashRounding": 0, "businessDay": "2026-01-01", "cashierId": "ann",
            "lines": [
                [
                    "sku": "tea", "name": "Tea of the house", "quantityMilli": 2000, "unitPrice": 300,
                    "discount": 70, "total": 530, "taxBasisPoints": 700,
                ],
                [
                    "sku": "cup", "quantityMilli": 1000, "unitPrice": 300, "discount": 0, "total": 300,
                    "taxBasisPoints": 700,
                ],
                [
                    "sku": "book", "quantityMilli": 1000, "unitPrice": 100, "discount": 0, "total": 100,
                    "taxBasisPoints": 0,
                ],
            ],
            "payments": [
                ["method": "cash", "kind": "cash", "amount": 500],
                [
                    "method": "visa", "kind": "card", "amount": 500, "authorizationKey": "K",
                    "approvalCode": "77",
                ],
            ],
        ]
        let document: JSONValue = [
            "type": "order.completed", "clientGeneratedAt": "2026-01-01T10:00:00.000Z", "payload": payload,
        ]
        let text = ArchiveStub.text(of: "order.completed", isApplied: true, document)
        let stub = try JSONParser.parse(text.utf8)
        #expect(!text.contains("tea") && !text.contains("Tea") && !text.contains("77"))
        #expect(stub["clientGeneratedAt"] == "2026-01-01T10:00:00.000Z")
        let whole = RefundableOrder(
            "O", of: "T", nil, document: document, moved: .all, returned: [])
        let left = RefundableOrder(
            "O", of: "T", nil, document: stub, moved: .all, returned: [], isArchived: true)
        #expect(left.saleEntry == whole.saleEntry && whole.saleEntry != nil)
        #expect(
            ArchiveStub.text(of: "member.updated", isApplied: true, ["payload": ["name": "Ann"]]) == "")
        let refused = ArchiveStub.text(
            of: "order.completed", isApplied: false, ["entityId": "E", "payload": payload])
        #expect(try JSONParser.parse(refused.utf8)["payload"]?["total"] == 930)
    }
}
