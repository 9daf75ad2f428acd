import Base
import HubCore
import HubProtocol
import Pricing
import Testing

@Suite("Files of master data")
struct ImportFormatTests {
    private func records<Format: ImportFormat>(_: Format.Type, _ text: String) throws -> [Format.Record] {
        var reader = try ImportReader<Format>(Array(text.utf8))
        var records: [Format.Record] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    /// The error for a file whose third line is `row`.
    private func refusal<Format: ImportFormat>(_: Format.Type, _ good: String, _ row: String) -> String? {
        let header = Format.columns.joined(separator: ",")
        do {
            _ = try records(Format.self, "\(header)\n\(good)\n\(row)\n")
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test("Columns come by name in any order; stock may be empty: not counted")
    func columns() throws {
        let text =
            "barcode,sku,unit,name,department,price_minor,currency,tax_basis_points,stock_milli\r\n"
            + "690,t1,each,\"Tea, green\",drinks,1250,CNY,1300,\r\n"
        #expect(
            try records(ProductFormat.self, text) == [
                ProductRecord(
                    sku: "t1", barcode: "690", name: "Tea, green", department: "drinks", priceMinor: 1250,
                    currency: "CNY", taxBasisPoints: 1300, unit: .each, stockMilli: nil)
            ])
    }

    @Test("Further barcodes stand in one field, without the main one and once each")
    func furtherBarcodes() throws {
        let header = "sku,barcode,name,price_minor,currency,tax_basis_points,unit,further_barcodes"
        let products = try records(
            ProductFormat.self, "\(header)\na,1,A,0,CNY,0,each,3 1  2 3\nb,4,B,5,CNY,0,each,\n")
        #expect(products.map(\.barcodes) == [["1", "3", "2"], ["4"]])
        #expect(products[1].json["furtherBarcodes"] == nil)
        #expect(try products.map { try ProductRecord(json: $0.json) } == products)
    }

    @Test("Prices and listings name a store, a begin and an end; a line withdraws by them")
    func storePrices() throws {
        let header = "sku,price_minor,starts_at,ends_at,store_id"
        let prices = try records(
            PriceFormat.self,
            "\(header)\na,5,,,S1\na,6,2026-12-01T00:00:00Z,2026-12-24T00:00:00Z,\na,7,2026-12-01T00:00:00Z,,S1\n"
        )
        #expect(prices.map(\.storeId) == ["S1", nil, "S1"])
        #expect(try prices.map { try PriceRecord(json: $0.json) } == prices)
        #expect(Set(prices.map(\.id)).count == 3)
        var reader = try ImportReader<PriceFormat>(
            Array("sku,price_minor,starts_at,store_id,withdrawn\na/b,,2026-12-01T00:00:00Z,S1,true\n".utf8))
        #expect(try reader.next() == nil)
        #expect(
            reader.withdrawn == [PriceRecord.id(sku: "a/b", storeId: "S1", startsAt: 1_796_083_200_000)])
        for (rows, reason) in [
            ("a,5,,,S1\na,6,,,S1", "line 2 too"), ("a,5,,,", "file of products"),
            ("a,5,2026-12-01T00:00:00Z,2026-12-01T00:00:00Z,", "after starts_at"),
            ("a,-1,,,S1", "price_minor"),
            ("a,5,,,S 1", "store_id"),
        ] {
            do {
                _ = try records(PriceFormat.self, "\(header)\n\(rows)\n")
                Issue.record("accepted: \(rows)")
            } catch {
                #expect("\(error)".contains(reason), "\(error)")
            }
        }
        let listings = try records(ListingFormat.self, "sku,listed,store_id\na,false,\na,true,S1\n")
        #expect(listings.map(\.isListed) == [false, true])
        #expect(try listings.map { try ListingRecord(json: $0.json) } == listings)
        #expect(throws: CSVError.self) { try records(ListingFormat.self, "sku,listed\na,\n") }
    }

    @Test("A price is open where the file says so; a fixed price is the document of before")
    func openPrices() throws {
        let header = "sku,barcode,name,price_minor,currency,tax_basis_points,unit,open_price"
        let rows = "a,1,A,0,CNY,0,each,true\nb,2,B,5,CNY,0,each,false\nc,3,C,5,CNY,0,each,"
        let products = try records(ProductFormat.self, "\(header)\n\(rows)\n")
        #expect(products.map(\.openPrice) == [true, false, false])
        #expect(products.map { $0.json["openPrice"] } == [true, nil, nil])
        #expect(try products.map { try ProductRecord(json: $0.json) } == products)
    }

    @Test(
        "A header with an unknown, a repeated or a missing column is refused",
        arguments: [
            ("", "the file is empty"), ("sku,barcode", "\"name\" is missing"), ("colour", "is not known"),
            ("sku,sku", "\"sku\" stands twice"), ("SKU,name", "known are sku, barcode"),
            ("sku;barcode", "separated by commas"),
        ])
    func wrongHeader(header: String, message: String) {
        let error = #expect(throws: CSVError.self) { try records(ProductFormat.self, header) }
        #expect(error?.line == 1)
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test(
        "A wrong product is named by its line and column",
        arguments: [
            ("a,1,A,d,-1,CNY,0,each,,,", "price_minor"), ("a,1,A,d,1.5,CNY,0,each,,,", "price_minor"),
            ("a,1,A,d,1,cny,0,each,,,", "currency"), ("a,1,A,d,1,CNY,0,piece,,,", "unit"),
            (",1,A,d,1,CNY,0,each,,,", "sku"), ("a,1,A,d,1,CNY,0,each", "8 fields"),
            ("a,1,A,d,1,CNY,0,each,x,,", "stock_milli"), ("a,1,A,d,1,CNY,0,each,,yes,", "open_price"),
            ("ok,1,A,d,1,CNY,0,each,,,", "line 2 too"),
            ("a,0,A,d,1,CNY,0,each,,,", "of the sku \"a\" belongs to the sku \"ok\""),
            ("a,1,A,d,1,CNY,0,each,,,2 0", "sku \"ok\""),
            ("a,1,A,d,1,USD,0,each,,,", "one currency"),
            ("a,1,A,d,1,CNY,1000001,each,,,", "tax_basis_points"), ("a,1,,d,1,CNY,0,each,,,", "name"),
            ("a\u{0},1,A,d,1,CNY,0,each,,,", "sku"), ("a,6.90123E+12,A,d,1,CNY,0,each,,,", "spreadsheet"),
        ])
    func products(row: String, message: String) {
        let refusal = refusal(ProductFormat.self, "ok,0,A,d,1,CNY,0,each,,,", row) ?? "nothing"
        #expect(refusal.hasPrefix("line 3: ") && refusal.contains(message), "\(refusal)")
    }

    @Test("An empty field of a member takes it away, a column that is not there leaves it")
    func members() throws {
        #expect(
            try records(MemberFormat.self, "id,phone,name,points,tier\nm,+86 139,Li,-5,gold\nn,,Wang,,\n")
                == [
                    MemberEntry(
                        id: "m", profile: ["phone": "+86 139", "name": "Li", "tier": "gold"],
                        openingPoints: -5),
                    MemberEntry(
                        id: "n", profile: ["phone": .null, "name": "Wang", "tier": .null], openingPoints: 0),
                ])
        #expect(
            try records(MemberFormat.self, "name,id\nLi,m\n")
                == [MemberEntry(id: "m", profile: ["name": "Li"], openingPoints: 0)])
    }

    @Test(
        "A wrong member is named by its line and column",
        arguments: [
            (",1,Li,,", "id"), ("m,,,5,gold", "neither a phone nor a name"), ("m,1,Li,1.5,", "points"),
            ("m,1,Li,100000000000001,", "points"), ("ok,1,Li,,", "the id \"ok\" stands on line 2 too"),
            ("m,\(String(repeating: "1", count: 201)),Li,,", "phone"),
            ("m,1,\(String(repeating: "x", count: 201)),,", "name"),
        ])
    func wrongMembers(row: String, message: String) {
        let refusal = refusal(MemberFormat.self, "ok,1,Li,,", row) ?? "nothing"
        #expect(refusal.hasPrefix("line 3: ") && refusal.contains(message), "\(refusal)")
    }

    @Test(
        "A wrong cashier is named by its line and column, and no PIN is repeated",
        arguments: [
            ("c,Kim,123,cashier", "pin"), ("c,Kim,1234567890123,cashier", "pin"),
            ("c,Kim,98x7,cashier", "pin"),
            ("c,Kim,٤٧١١,cashier", "pin"), ("c,Kim,4711,boss", "role"), ("c,,4711,cashier", "name"),
            (",Kim,4711,cashier", "id"), ("ok,Kim,4711,cashier", "line 2 too"),
        ])
    func wrongCashiers(row: String, message: String) {
        let refusal = refusal(CashierFormat.self, "ok,Kim,4711,manager", row) ?? "nothing"
        #expect(refusal.hasPrefix("line 3: ") && refusal.contains(message), "\(refusal)")
        #expect(!refusal.contains("98x7"))
    }

    @Test("A cashier may be of one store; other records are of every store")
    func stores() throws {
        let read = try records(
            CashierFormat.self,
            "id,name,pin,role,store_id\na,Kim,4711,cashier,S1\nb,Lee,4711,cashier,\n")
        #expect(read.map(\.storeId) == ["S1", nil])
        func message(_ text: String) -> String {
            #expect(throws: CSVError.self) { try records(CashierFormat.self, text) }?.description ?? ""
        }
        #expect(message("id,name,pin,role,store_id\na,Kim,4711,cashier,S 1\n").hasPrefix("line 2: store_id"))
        #expect(try records(MemberFormat.self, "id,name,store_id\nm,Li,\n").count == 1)
        let member = #expect(throws: CSVError.self) {
            try records(MemberFormat.self, "id,name,store_id\nm,Li,S1\n")
        }
        #expect(member?.line == 2)
    }

    @Test("A withdrawn record needs its id alone")
    func withdrawn() throws {
        let text = "id,name,pin,role,withdrawn\na,Kim,4711,cashier,false\nb,,,,true\nc,Lee,4711,cashier,\n"
        var reader = try ImportReader<CashierFormat>(Array(text.utf8))
        var ids: [String] = []
        while let record = try reader.next() { ids.append(record.id) }
        #expect(ids == ["a", "c"])
        #expect(reader.withdrawn == ["b"])
        for row in [",Kim,4711,cashier,true", "a,Kim,4711,cashier,yes"] {
            let error = #expect(throws: CSVError.self) {
                try records(CashierFormat.self, "id,name,pin,role,withdrawn\n\(row)\n")
            }
            #expect(error?.line == 2)
        }
        #expect(try records(CouponFormat.self, "code,promotion_id,withdrawn\nA,,true\n").isEmpty)
    }

    @Test("A manager's PIN has six digits; the first shorter one is named with how many there are")
    func shortPINs() throws {
        func message(_ rows: String...) throws -> String? {
            do {
                _ = try records(
                    CashierFormat.self, (["id,name,pin,role"] + rows).joined(separator: "\n"))
                return nil
            } catch let error as CSVError {
                return error.description
            }
        }
        #expect(try message("a,Kim,471147,manager", "b,Lee,4711,cashier") == nil)
        #expect(
            try message("a,Kim,471147,manager", "b,Lee,47114,manager")
                == "line 3: the pin of a manager has at least 6 digits")
        #expect(
            try message("a,Kim,4711,manager", "b,Lee,4711,cashier", "c,Wu,47114,manager")
                == "line 2: the pin of a manager has at least 6 digits; 2 managers of this file have fewer")
    }

    @Test("Promotions of each kind, with the columns that belong to it")
    func promotions() throws {
        let text = """
            id,name,kind,sku,department,percent_basis_points,amount_minor,min_quantity_milli,starts_at,ends_at,offline
            a,Ten,percent,,drinks,1000,,,2026-01-01T00:00:00+08:00,2026-12-31T16:00:00Z,true
            b,Five off,amount,tea,,,500,2000,,,
            c,Three for,bundle,tea,,,250,3000,,,false
            """
        let read = try records(PromotionFormat.self, text)
        #expect(read.map(\.reduction) == [.percent(basisPoints: 1000), .amount(500), .bundle(250)])
        #expect(read.map(\.worksOffline) == [true, false, false])
        #expect(read.map(\.minimumQuantityMilli) == [0, 2000, 3000])
        #expect(read.map(\.sku) == [nil, "tea", "tea"])
        #expect(read.map(\.department) == ["drinks", nil, nil])
        #expect(read[0].startsAt == Timestamp.milliseconds(of: "2025-12-31T16:00:00Z"))
        #expect(read.allSatisfy { !$0.needsCoupon })
    }

    @Test("Promotions with terms, and the same document again")
    func promotionTerms() throws {
        let text = """
            id,name,kind,sku,percent_basis_points,amount_minor,min_amount_minor,days,from_time,until_time,member_tiers,group,exclusive
            a,Ten off,amount,,,1000,10000,,,,,,
            b,Night,percent,,500,,,fri;sat,22:00,02:00,,,
            c,Weekend,percent,,500,,,sat;sun,,,,,
            d,Gold,price,tea,,900,,,,,gold;silver,,
            e,Member,price,tea,,950,,,,,*,best,
            f,Alone,bundle,,,5,100,,,,,,true
            """
        let read = try records(PromotionFormat.self, text)
        #expect(read.map(\.minimumAmount) == [10_000, 0, 0, 0, 0, 100])
        #expect(read[1].hours == WeeklyHours(days: [.friday, .saturday], from: 1_320, until: 120))
        #expect(read[2].hours == WeeklyHours(days: [.saturday, .sunday]))
        #expect(read.map(\.audience).suffix(3) == [.tiers(["gold", "silver"]), .members, .everyone])
        #expect(read.map(\.competition).suffix(3) == [.none, .group("best"), .exclusive])
        #expect(read.map(\.reduction).suffix(3) == [.price(900), .price(950), .bundle(5)])
        #expect(try read.map { try Promotion(json: $0.json) } == read)
        #expect(read.allSatisfy { PromotionTerms.areNeeded(for: $0.json) })
    }

    @Test(
        "A wrong term of a promotion is named by its column",
        arguments: [
            ("a,A,amount,,5,0,,,,,,", "min_amount_minor"), ("a,A,amount,,5,,friday,,,,,", "days"),
            ("a,A,amount,,5,,fri;fri,,,,,", "days"), ("a,A,amount,,5,,,17:00,,,,", "go together"),
            ("a,A,amount,,5,,,17:00,24:00,,,", "until_time"), ("a,A,amount,,5,,,9:00,17:00,,,", "from_time"),
            ("a,A,amount,,5,,,17:00,17:00,,,", "until_time"), ("a,A,amount,,5,,,,,gold;,,", "member_tiers"),
            ("a,A,amount,,5,,,,,,g,true", "group is not a column of an exclusive"),
            ("a,A,price,,5,,,,,,,", "sku is missing"),
            ("a,A,price,tea,5,100,,,,,,", "min_amount_minor is not a column of a price"),
        ])
    func wrongTerms(row: String, message: String) {
        let header =
            "id,name,kind,sku,amount_minor,min_amount_minor,days,from_time,until_time,member_tiers,group,exclusive"
        do {
            _ = try records(PromotionFormat.self, "\(header)\n\(row)\n")
            Issue.record("accepted: \(row)")
        } catch {
            #expect("\(error)".contains(message), "\(error)")
        }
    }

    @Test(
        "A wrong promotion is named by its line and column",
        arguments: [
            ("a,,amount,,,,5,,,,", "name"), ("a,A,gift,,,,5,,,,", "kind"),
            ("a,A,percent,,,,,,,,", "percent_basis"),
            ("a,A,percent,,,0,,,,,", "percent_basis"), ("a,A,percent,,,10001,,,,,", "percent_basis"),
            ("a,A,percent,,,5,5,,,,", "amount_minor is not a column of a percent promotion"),
            ("a,A,amount,,,5,5,,,,", "percent_basis_points is not a column"),
            ("a,A,amount,,,,,,,,", "amount_minor"),
            ("a,A,bundle,,,,5,,,,", "min_quantity_milli"), ("a,A,bundle,,,,5,0,,,", "min_quantity_milli"),
            ("a,A,amount,,,,5,-1,,,", "min_quantity_milli"), ("a,A,amount,,,,5,,2026-01-01,,", "starts_at"),
            ("a,A,amount,,,,5,,,0000-01-01T00:00:00Z,", "ends_at"),
            ("a,A,amount,,,,5,,2026-01-01T00:00:00Z,2026-01-01T00:00:00Z,", "ends_at"),
            ("a,A,amount,,,,5,,,,yes", "offline"), ("ok,A,amount,,,,5,,,,", "line 2 too"),
        ])
    func wrongPromotions(row: String, message: String) {
        let refusal =
            refusal(PromotionFormat.self, "ok,A,amount,,,,5,,,,,,,,,,,", row + ",,,,,,,") ?? "nothing"
        #expect(refusal.hasPrefix("line 3: ") && refusal.contains(message), "\(refusal)")
    }

    @Test(
        "A wrong coupon is named by its line and column",
        arguments: [
            (",p,,,,", "code"), ("c,,,,,", "promotion_id"), ("c,p,,-1,,", "max_uses"),
            ("c,p,,x,,", "max_uses"),
            ("c,p,,,tomorrow,", "expires_at"), ("c,p,,,,TRUE", "offline"), ("ok,p,,,,", "line 2 too"),
            ("c,p,\(String(repeating: "m", count: 129)),,,", "member_id"),
        ])
    func wrongCoupons(row: String, message: String) {
        let refusal = refusal(CouponFormat.self, "ok,p,m,1,2026-01-01T00:00:00Z,true", row) ?? "nothing"
        #expect(refusal.hasPrefix("line 3: ") && refusal.contains(message), "\(refusal)")
    }
}
