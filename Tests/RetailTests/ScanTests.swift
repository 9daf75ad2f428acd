import Base
import HubProtocol
import OfflineCore
import Pricing
import Retail
import Testing

@Suite("Codes with a weight, a price or more inside are sold")
struct ScanTests {
    private let ports = ScriptedPorts()
    /// Both name the apples, 3.33 a kilogram, by their barcode 2000001.
    private static let rules = "20AAAAAWWWWWC"
    private static let priceRules = "20AAAAAPPPPPC"
    private static let weight = "2000001003572"

    private func sold(_ lines: EnteredLine..., rules: String = rules) async throws -> [SaleLine] {
        let checkout = try ports.checkout(barcodeRules: rules)
        let request = SaleRequest(lines: lines, payments: [.init(method: "cash")])
        let quote = try await checkout.quote(request)
        let sale = try await checkout.sell(request).sale.content
        #expect(quote.totals == sale.totals)
        return sale.lines
    }

    @Test(
        "an article is found by its GTIN however that is written, and behind a scanner's symbology identifier",
        arguments: ["4006381333931", "04006381333931", "]E04006381333931", "]C02000001003572", "]A02000001"])
    func otherwiseWritten(_ code: String) async throws {
        let line = try await sold(.init(barcode: code, quantityMilli: 1000))[0]
        #expect(["4006381333931", "2000001"].contains(line.barcode))
    }

    @Test("a weight inside is the quantity; the number of scans multiplies it")
    func weight() async throws {
        let lines = try await sold(
            .init(barcode: Self.weight), .init(barcode: Self.weight, quantityMilli: 2000))
        #expect(lines.map(\.price.quantityMilli) == [357, 714])
        #expect(lines.map(\.price.total) == [119, 238])
        #expect(lines.map(\.barcode) == ["2000001", "2000001"])
    }

    @Test(
        "a price inside is kept to the cent, with the least weight that costs no less",
        arguments: [1, 332, 333, 457, 99_999])
    func price(_ minor: Int64) async throws {
        let code = Self.label(minor)
        let lines = try await sold(
            .init(barcode: code), .init(barcode: code, quantityMilli: 3000), rules: Self.priceRules)
        #expect(lines.map(\.price.total) == [minor, 3 * minor])
        #expect(lines.map(\.price.unitPrice) == [333, 333])
        for line in lines {
            #expect(line.price.quantityMilli * 333 >= line.price.total * 1000)
            #expect((line.price.quantityMilli - 1) * 333 < line.price.total * 1000)
            #expect(line.listPrice == nil)
            #expect(line.ownDiscount == 0 && line.gross == line.price.total)
        }
    }

    @Test("what keeps a label's price is no discount: a manager is not needed, and the paper has none")
    func rounding() async throws {
        ports.copy.with {
            $0.pins = ["c1": "1234", "m1": "999999"]
            $0.managers = ["m1"]
        }
        let checkout = try ports.checkout(listing: [.discount], barcodeRules: Self.priceRules)
        let sold = try await checkout.sell(
            SaleRequest(
                lines: [.init(barcode: Self.label(749, of: "2000002"))], payments: [.init(method: "cash")],
                cashierId: "c1", pin: "1234"))
        let line = sold.sale.content.lines[0]
        #expect(line.price.total == 749 && line.labelRounding == 251 && line.ownDiscount == 0)
        #expect(sold.sale.content.approverId == nil)
        #expect(!sold.receipt.contains("Discount") && sold.receipt.contains("7.49"))
    }

    /// A label with a price, of the apples by default.
    private static func label(_ minor: Int64, of article: String = "2000001") -> String {
        let digits = String(minor)
        let body = article + String(repeating: "0", count: 5 - digits.count) + digits
        let sum = body.reversed().enumerated().reduce(0) {
            $0 + ($1.element.wholeNumberValue ?? 0) * ($1.offset.isMultiple(of: 2) ? 3 : 1)
        }
        return body + String((10 - sum % 10) % 10)
    }

    @Test("a cashier's discount comes off the price inside, and a price by hand replaces it")
    func changed() async throws {
        let lines = try await sold(
            .init(barcode: Self.label(457), discountMinor: 57),
            .init(barcode: Self.label(457), unitPriceMinor: 300), rules: Self.priceRules)
        #expect(lines.map(\.price.total) == [400, 300])
        #expect(lines.map(\.listPrice) == [nil, 333])
    }

    @Test("GS1 names the article, the weight and the amount to pay")
    func elements() async throws {
        let milk = "0104006381333931"
        #expect(try await sold(.init(barcode: milk + "10LOT7")).map(\.price.total) == [125])
        #expect(try await sold(.init(barcode: "(01)04006381333931(3922)099")).map(\.price.total) == [99])
    }

    @Test("a weight inside the code of a piece is refused, as an unknown code is; an exact barcode wins")
    func refusals() async throws {
        let checkout = try ports.checkout(barcodeRules: Self.rules)
        func code(_ barcode: String) async -> String? {
            do throws(SaleRefusal) {
                _ = try await checkout.quote(SaleRequest(lines: [.init(barcode: barcode)]))
                return nil
            } catch {
                return error.code
            }
        }
        #expect(await code("01040063813339313103000357") == "fraction_of_piece")
        #expect(await code("0104006381333932") == "misread_barcode")
        #expect(await code("(05)1") == "misread_barcode")
        #expect(await code("2000009003574") == "unknown_barcode")
        #expect(await code("2000001003573") == "misread_barcode")
        #expect(await code("2000001") == "quantity_required")
        #expect(await code("2000001000001") == "misread_barcode")
        let without = try ports.checkout()
        await #expect(throws: SaleRefusal.unknownBarcode(Self.weight)) {
            try await without.quote(SaleRequest(lines: [.init(barcode: Self.weight)]))
        }
    }

    @Test("a label of nothing is no sale")
    func nothing() async throws {
        let checkout = try ports.checkout(barcodeRules: Self.priceRules)
        await #expect(throws: SaleRefusal.self) {
            try await checkout.quote(SaleRequest(lines: [.init(barcode: Self.label(0))]))
        }
    }
}
