import HubProtocol
import Testing

@Suite("Prices and listings of stores")
struct PriceRecordTests {
    private let prices = [
        PriceRecord(sku: "A", priceMinor: 90, startsAt: 100, endsAt: 200),
        PriceRecord(sku: "A", priceMinor: 80, startsAt: 150),
        PriceRecord(sku: "A", storeId: "S1", priceMinor: 70),
        PriceRecord(sku: "A", storeId: "S1", priceMinor: 60, startsAt: 120, endsAt: 180),
    ]

    @Test("The store's own price goes first, then what began last; none holds outside of its time")
    func precedence() {
        func price(_ store: String, _ moment: Int64) -> Int64? {
            PriceRecord.price(of: prices, in: store, at: moment)
        }
        #expect([99, 119].map { price("S1", $0) } == [70, 70])
        #expect([120, 179].map { price("S1", $0) } == [60, 60])
        #expect(price("S1", 180) == 70)
        #expect(price("S2", 99) == nil)
        #expect([100, 149].map { price("S2", $0) } == [90, 90])
        #expect([150, 199, 200, .max].map { price("S2", $0) } == [80, 80, 80, 80])
        #expect(price("S2", 99) == PriceRecord.price(of: prices.reversed(), in: "S2", at: 99))
    }

    @Test("A price is known to change at the next begin or end that concerns the store")
    func nextChange() {
        func next(_ store: String, _ moment: Int64) -> Int64? {
            PriceRecord.nextChange(of: prices, in: store, after: moment)
        }
        #expect([0, 100, 120, 150, 180, 200].map { next("S1", $0) } == [100, 120, 150, 180, 200, nil])
        #expect(next("S2", 100) == 150)
    }

    @Test("A store's own listing decides, else that for all; without one it sells the article")
    func listings() {
        let listings = [
            ListingRecord(sku: "A", storeId: "S1", isListed: true), ListingRecord(sku: "A", isListed: false),
        ]
        #expect(ListingRecord.isListed(by: listings, in: "S1"))
        #expect(!ListingRecord.isListed(by: listings, in: "S2"))
        #expect(ListingRecord.isListed(by: [], in: "S2"))
    }
}
