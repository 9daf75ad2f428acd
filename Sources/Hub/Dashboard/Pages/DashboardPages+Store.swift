package import HubProtocol

/// One store: what somebody has to know who is about to call there.
extension DashboardPages {
    /// A store with its terminals, what it sold today, what is open there, and its outages of a week.
    ///
    /// - Parameters:
    ///   - sales: those of the day that the store is in.
    ///   - alarms: `{"alarms":[…]}` of the back office's contract: the open ones of this store.
    package func store(
        _ frame: PageFrame, fleet: Fleet, store id: String, sales: SalesSummary, alarms: JSONValue
    ) -> String {
        let frame = frame.of(store: id)
        let wording = frame.wording
        let store = fleet.stores.first { $0.id == id }
        let terminals = fleet.terminals(of: id)
        let rows = (alarms["alarms"]?.array ?? []).map { alarm in
            var row = RecordValues(alarm, wording)
            row.set("kind", wording.alarm(alarm["kind"]?.string ?? ""))
            row.set("last", time: "lastAt")
            row.set("detail", alarm["detail"]?.string)
            row.set("count", number: "count")
            row.set("place", alarm["terminalId"]?.string.flatMap(fleet.terminal)?.place)
            return row.values
        }
        let week: Int64 = 7 * 86_400_000
        let outages =
            terminals.isEmpty
            ? [] : StoreOutages(of: terminals, since: wording.now - week, at: fleet.at).rows
        let plot = OfflineTimeline(
            rows: outages.map { Self.timelineRow($0, fleet, wording) }, wording: wording, span: week)
        return rendered(
            "store-page", frame, title: wording.store(id),
            [
                "storeId": id, "ownName": wording.stores.facts(of: id).name,
                "isAway": store?.isAway ?? false,
                "tiles": Self.tiles(of: store, fleet, id, sales, wording),
                "facts": Self.facts(of: store, id, wording).map { name, value -> PageValues in
                    ["name": name, "value": value]
                },
                "hasRows": !terminals.isEmpty,
                "rows": terminals.map { terminal -> PageValues in
                    var row = Self.row(of: terminal, fleet, wording)
                    // Every row is of the store that the heading names.
                    row["storeName"] = nil
                    return row
                },
                "hasAlarms": !rows.isEmpty, "alarmRows": rows,
                "hasOutages": !outages.isEmpty, "plot": outages.isEmpty ? "" : plot.svg,
            ])
    }

    private static func facts(
        of store: FleetStore?, _ id: String, _ wording: Wording
    ) -> [(String, String)] {
        let (facts, texts) = (wording.stores.facts(of: id), wording.texts)
        func moment(_ moment: Int64?) -> String? {
            moment.map { "\(wording.clock($0)), \(wording.ago($0))" }
        }
        let isAway = store?.isAway ?? false
        let all: [(String, String?)] = [
            (texts.fleet(.location), facts.place), (texts.fleet(.telephone), facts.telephone),
            (texts.fleet(.zone), wording.zone.name),
            (texts.fleet(.sinceHead), isAway ? moment(store?.awaySince) : nil),
            (texts.fleet(.causes), isAway ? store.map { wording.causes($0.causes) } : nil),
            (texts.fleet(.contact), moment(store?.lastContact)),
        ]
        return all.compactMap { name, value in value.flatMap { $0.isEmpty ? nil : (name, $0) } }
    }

    private static func tiles(
        of store: FleetStore?, _ fleet: Fleet, _ id: String, _ sales: SalesSummary, _ wording: Wording
    ) -> [PageValues] {
        let texts = wording.texts
        let parameter = PercentEncoding.encoded(id)
        func tile(_ name: String, _ value: Int64, _ note: String, _ link: String) -> PageValues {
            ["name": name, "value": wording.number(value), "note": note, "link": link]
        }
        let tiles = [
            tile(
                texts.fleet(.awayTile), Int64(store?.away ?? 0),
                "\(texts.page(.terminals)): \(wording.number(store?.terminals ?? 0))",
                "/terminals?store=\(parameter)"),
            tile(
                texts.fleet(.toBeSent), store?.pending ?? 0,
                store?.oldestAge(at: fleet.at).map { texts.oldest(wording.span($0)) } ?? "–",
                "/terminals?store=\(parameter)&sort=outbox"),
        ]
        let orders = "/orders?store=\(parameter)&day=\(sales.day)"
        let sold = Self.tiles(sales, wording, link: orders)
        let none: PageValues = [
            "name": texts.sales(of: sales.day), "value": "–", "note": texts.sale(.noSales), "link": orders,
        ]
        return tiles + (sold.isEmpty ? [none] : sold)
    }
}
