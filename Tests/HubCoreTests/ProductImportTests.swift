import HubCore
import HubProtocol
import Testing

@Suite("ProductImport")
struct ProductImportTests {
    private static let header = ProductImport.columns.joined(separator: ",")

    private func products(_ text: String) throws -> [ProductRecord] {
        var reader = try ProductImport(Array(text.utf8))
        var products: [ProductRecord] = []
        while let product = try reader.next() { products.append(product) }
        return products
    }

    private func line(of text: String) -> Int? {
        do {
            _ = try products(text)
            return nil
        } catch {
            return (error as? CSVError)?.line
        }
    }

    @Test("Columns come by name in any order; stock may be empty: not counted")
    func columns() throws {
        let text =
            "barcode,sku,unit,name,department,price_minor,currency,tax_basis_points,stock_milli\r\n"
            + "690,t1,each,\"Tea, green\",drinks,1250,CNY,1300,\r\n"
        #expect(
            try products(text) == [
                ProductRecord(
                    sku: "t1", barcode: "690", name: "Tea, green", department: "drinks", priceMinor: 1250,
                    currency: "CNY", taxBasisPoints: 1300, unit: .each, stockMilli: nil)
            ])
    }

    @Test(
        "A wrong line is named by its number",
        arguments: [
            "a,1,A,d,-1,CNY,0,each,", "a,1,A,d,1.5,CNY,0,each,", "a,1,A,d,1,cny,0,each,",
            "a,1,A,d,1,CNY,0,piece,", ",1,A,d,1,CNY,0,each,", "a,1,A,d,1,CNY,0,each",
            "a,1,A,d,1,CNY,0,each,x",
            "ok,1,A,d,1,CNY,0,each,", "a,0,A,d,1,CNY,0,each,", "a,1,A,d,1,USD,0,each,",
        ])
    func wrongLine(row: String) {
        #expect(line(of: "\(Self.header)\nok,0,A,d,1,CNY,0,each,\n\(row)\n") == 3)
    }

    @Test(
        "A header with an unknown, a repeated or a missing column is refused",
        arguments: ["", "sku,barcode", header + ",colour", header + ",sku"])
    func wrongHeader(header: String) {
        #expect(line(of: header) == 1)
    }
}
