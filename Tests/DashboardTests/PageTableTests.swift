import Base
import Testing

@testable import Dashboard

@Suite("Tables of the pages as files")
struct PageTableTests {
    @Test("An amount stands beside its currency, and a terminal beside its id")
    func amounts() throws {
        let terminal = Chain.terminal("S1", 3, periods: [])
        let order: JSONValue = [
            "orderId": "o", "orderNumber": "N1", "businessDay": "2027-01-15", "currency": "EUR", "total": 372_966,
            "storeId": "S1", "terminalId": .string(terminal.id), "soldAt": "2027-01-15T07:00:00.000Z",
        ]
        let frame = PageFrame(
            language: .english, person: nil, now: Chain.now, path: "/orders", readAt: 0, storeAwaySince: nil,
            fleet: Fleet([terminal], at: Chain.now), table: "rows")
        let table = try DashboardPages().orders(frame, ["orders": [order]], .init())
        let lines = table.split(separator: "\r\n")
        #expect(
            lines[0]
                == "\u{FEFF}Order,Business day,Store,Name,Terminal,Terminal's id,Amount,Currency,Cashier,State,Sold,"
                + "Received")
        #expect(
            lines[1]
                == "N1,2027-01-15,S1,,S1-3,\(terminal.id),3729.66,EUR,,completed,2027-01-15T07:00:00.000Z,")
    }

    private func frame(_ query: String, table: String? = nil) -> PageFrame {
        PageFrame(
            language: .english, person: nil, now: Chain.now, path: "/terminals", readAt: 0,
            storeAwaySince: nil,
            stores: StoreDirectory(["S1": StoreFacts(name: "Old \"Town\", east")]), query: query, table: table
        )
    }

    @Test("Every table has its link in its template, and every head its text", arguments: Language.allCases)
    func links(_ language: Language) {
        let texts = language.dashboardTexts.byName
        let templates = Templates.all.merging(RecordTemplates.all) { $1 }.merging(ShiftTemplates.all) { $1 }
        let parts = [
            "store-page": ["terminal-rows", "outage-rows"], "offline": ["outage-rows"], "terminals": ["terminal-rows"], "overview": ["stores-away"],
        ]
        for (template, tables) in PageTables.columns {
            let text = ([template] + (parts[template] ?? [])).compactMap { templates[$0] }.joined()
            for (table, columns) in tables {
                let link = ["tender", "store"].contains(table) ? "{{list}}" : table
                #expect(text.contains("{{tables}}\(link)\" download"), "\(template) \(table)")
                for column in columns { #expect(texts[column.head] != nil, "\(template) \(column.head)") }
            }
        }
    }

    @Test("It has every row that the filter leaves, times as of RFC 3339, and nothing that would be computed")
    func rows() throws {
        let pages = try DashboardPages()
        let terminals = (1...250).map { number in
            Chain.terminal(
                "S1", Int64(number), pending: 1_234, oldest: 60_000, periods: [Chain.offline],
                name: number == 7 ? "=1+1" : "-5")
        }
        let fleet = Fleet(terminals, at: Chain.now)
        var query = FleetQuery()
        query.page = 2
        let page = pages.terminals(frame("mode=offline&page=2"), fleet: fleet, query: query)
        #expect(!PageTables.isTable(page))
        #expect(page.contains("href=\"/terminals?mode=offline&amp;table=rows\" download>CSV</a>"))
        let table = pages.terminals(
            frame("mode=offline&table=rows", table: "rows"), fleet: fleet, query: query)
        #expect(PageTables.isTable(table))
        let lines = table.split(separator: "\r\n").map(String.init)
        #expect(lines.count == 251)
        #expect(
            lines[0] == "\u{FEFF}Terminal,Name,Mode,Since,Causes,Outbox,Oldest since,Refused,Version,Last contact,"
                + "Terminal's id")
        #expect(
            lines[7]
                == "S1-7,'=1+1,offline,2027-01-15T07:50:00.000Z,network,1234,2027-01-15T07:59:00.000Z,,1.4.1,"
                + "2027-01-15T08:00:00.000Z,\(terminals[6].id)"
        )
        #expect(lines[8].hasPrefix("S1-8,-5,"))
        let stores = pages.stores(
            frame("", table: "rows"), fleet: fleet, text: "", onlyAway: true, page: 1)
        #expect(stores.contains("S1,\"Old \"\"Town\"\", east\",250,250,2027-01-15T07:50:00.000Z,network,"))
        #expect(
            !PageTables.isTable(
                pages.stores(
                    frame("", table: "none"), fleet: fleet, text: "", onlyAway: true, page: 1)))
    }
}
