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
            let alarm = ListRow<AlarmMember>(alarm)
            var row = Self.row(of: alarm, wording)
            row.set("place", alarm[.terminalId]?.string.flatMap(fleet.terminal)?.place)
            return row.values
        }
        let week: Int64 = 7 * 86_400_000
        let outages =
            terminals.isEmpty
            ? [] : StoreOutages(of: terminals, since: wording.now - week, at: fleet.at).rows
        let plot = OfflineTimeline(
            rows: outages.map { Self.timelineRow($0, fleet, wording) }, wording: wording, span: week)
        let periods = outages.flatMap { row in row.periods.map { (row: row, period: $0) } }
            .sorted { $0.period.start > $1.period.start }
            .prefix(frame.table == nil ? Self.mostPeriods : PageTables.mostRows)
        return rendered(
            "store-page", frame, title: wording.store(id),
            [
                "storeId": id, "ownName": wording.stores.facts(of: id).name,
                "isAway": store?.isAway ?? false,
                "tiles": Self.tiles(of: store, fleet, id, sales, wording),
                "facts": Self.facts(of: store, id, wording).map { name, value, link -> PageValues in
                    var fact: PageValues = ["name": name, "value": value]
                    if let link { fact["tel"] = link }
                    return fact
                },
                "hasRows": !terminals.isEmpty,
                "rows": terminals.map { terminal -> PageValues in
                    var row = Self.row(of: terminal, fleet, wording)
                    // Every row is of the store that the heading names.
                    row["storeName"] = nil
                    return row
                },
                "hasAlarms": !rows.isEmpty, "alarmRows": rows,
                "hasPeriods": !periods.isEmpty, "plot": outages.isEmpty ? "" : plot.svg,
                "periods": periods.map { Self.values(of: $0.period, in: $0.row, fleet, wording) },
            ])
    }

    /// Outages that the list below the drawing has: what happened since about yesterday, and a phone shows
    /// them without scrolling long. The file of the table has all.
    private static let mostPeriods = 10

    private static func facts(
        of store: FleetStore?, _ id: String, _ wording: Wording
    ) -> [(name: String, value: String, link: String?)] {
        let (facts, texts) = (wording.stores.facts(of: id), wording.texts)
        func moment(_ moment: Int64?) -> String? {
            moment.map(wording.moment)
        }
        let isAway = store?.isAway ?? false
        let all: [(String, String?)] = [
            (texts.fleet(.location), facts.place), (texts.fleet(.telephone), facts.telephone),
            (texts.fleet(.zone), wording.zone.name),
            (texts.fleet(.sinceHead), isAway ? moment(store?.awaySince) : nil),
            (texts.fleet(.causes), isAway ? store.map { wording.causes($0.causes) } : nil),
            (texts.fleet(.contact), moment(store?.lastContact)),
        ]
        return all.compactMap { name, value in
            guard let value, !value.isEmpty else { return nil }
            return (name, value, name == texts.fleet(.telephone) ? facts.telephoneLink : nil)
        }
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
                wording.labelled(texts.page(.terminals), wording.number(store?.terminals ?? 0)),
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
