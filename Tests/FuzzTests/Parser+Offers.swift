import HubCore
import HubProtocol
import Pricing

extension Parser {
    /// Files of master data, and requests of tills about people and offers.
    static let offers = [
        file(ProductFormat.self, row: "t1,690,\"Tea, green\",drinks,1250,CNY,1300,each,5") { product in
            (try? ProductRecord(json: product.json)) == product
        },
        file(MemberFormat.self, row: "m1,+86 138,Li,120,gold") { member in
            (try? MemberEntry(json: member.json)) == member && isSettled(member)
        },
        file(CashierFormat.self, row: "c1,Kim,4711,manager") { cashier in
            (try? CashierEntry(json: cashier.json)) == cashier
        },
        file(
            PromotionFormat.self,
            row: "p1,Five off,bundle,tea,drinks,,500,2000,2026-01-01T00:00:00Z,2026-02-01T00:00:00+08:00,true"
        ) { promotion in
            (try? Promotion(json: promotion.json)) == promotion && isSettled(promotion)
        },
        file(CouponFormat.self, row: "TEA5,p1,m1,2,2026-01-01T00:00:00Z,true") { coupon in
            (try? Coupon(json: coupon.json)) == coupon
        },
        Parser("basket", seeds: [basket]) { bytes in
            guard let shape = (try? JSONParser.parse(bytes)).flatMap({ try? BasketShape(json: $0) }) else {
                return nil
            }
            guard (try? BasketShape(json: shape.json)) == shape else { return "it is read back otherwise" }
            return reduced(shape)
        },
        Parser("people", seeds: [cashier, session, member]) { bytes in
            guard let document = try? JSONParser.parse(bytes) else { return nil }
            let isReadBack =
                isReadBack(document, CashierRecord.init(json:), \.json)
                && isReadBack(document, CashierSession.init(json:), \.json)
            guard isReadBack else { return "it is read back otherwise" }
            let phone = (try? MemberRecord(json: document))?.phone
            let digits = phone.flatMap(MemberRecord.lookupDigits)?.utf8 ?? "".utf8
            return digits.allSatisfy { (0x30...0x39).contains($0) } ? nil : "more than digits"
        },
    ]

    private static let basket = #"""
        {"memberId":"m","coupons":["A","B"],"lines":[{"sku":"tea","department":"drinks","quantityMilli":2000,
        "unitPrice":1250,"discount":50},{"sku":"milk","quantityMilli":9007199254740991,"unitPrice":1}]}
        """#
    private static let cashier = #"{"id":"c1","name":"Kim","role":"manager","pinHash":"$scrypt$"}"#
    private static let session = #"{"cashierId":"c1","name":"Kim","role":"cashier"}"#
    private static let member = #"{"id":"m","name":"Li","phone":"+86 138","points":-5,"newer":[1]}"#

    /// Whether a document that is read is written and read the same.
    private static func isReadBack<Shape: Equatable>(
        _ document: JSONValue, _ read: (JSONValue) throws -> Shape, _ json: (Shape) -> JSONValue
    ) -> Bool {
        guard let shape = try? read(document) else { return true }
        return (try? read(json(shape))) == shape
    }

    /// A file of one record behind its header; what is read fulfils `isWell`.
    private static func file<Format: ImportFormat & SendableMetatype>(
        _: Format.Type, row: String, isWell: @escaping @Sendable (Format.Record) -> Bool
    ) -> Parser {
        Parser(
            "import-\(Format.self)".lowercased(),
            seeds: [Format.columns.joined(separator: ",") + "\n\(row)\n"]
        ) { bytes in
            guard var reader = try? ImportReader<Format>(bytes) else { return nil }
            while let record = try? reader.next() {
                if !isWell(record) { return "it is read back otherwise: \(record)" }
            }
            return reader.line <= bytes.count + 1 ? nil : "more lines than bytes"
        }
    }

    /// Whether an import of what is there already changes nothing.
    private static func isSettled(_ record: some ImportedEntity) -> Bool {
        guard let value = try? record.value(over: nil) else { return false }
        return EntityPlan([record], beside: [record.key: value]).written.isEmpty
    }

    /// No line pays more than its price, whatever is requested.
    private static func reduced(_ shape: BasketShape) -> String? {
        let lines = shape.lines.map { line in
            Basket.Line(
                sku: line.sku, department: line.department ?? "", quantityMilli: line.quantityMilli,
                price: line.unitPrice)
        }
        let basket = Basket(
            lines: lines, coupons: shape.coupons, memberId: shape.memberId, moment: 0, isOffline: false)
        let promotion = Promotion(
            id: "p", name: "p", reduction: .bundle(700), sku: nil, department: nil,
            minimumQuantityMilli: 1000, startsAt: nil, endsAt: nil, worksOffline: true, needsCoupon: false)
        let offers = Offers(promotions: [promotion], coupons: [])
        guard let reductions = try? offers.reductions(for: basket) else { return nil }
        let isBorne = zip(reductions.lines, lines).allSatisfy { parts, line in
            parts.reduce(0) { $0 + $1.amount } <= line.price
        }
        return isBorne ? nil : "a line pays more than it has"
    }
}
