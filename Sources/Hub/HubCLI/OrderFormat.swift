internal import ArgumentParser
internal import HubCore
internal import HubProtocol
internal import HubServer
internal import Pricing

/// The formats of `pos-hub orders export`. JSON and XML end with an element that closes the whole; a CSV file
/// is whole when it has its name.
enum OrderFormat: String, CaseIterable, ExpressibleByArgument {
    case csv, json, poslog

    /// What stands before the first order.
    var head: String {
        switch self {
        case .csv: Self.columns.map(\.name).joined(separator: ",") + "\r\n"
        case .json: "{\"format\":\"holdfast-orders-1\",\"orders\":["
        case .poslog:
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<POSLog xmlns=\"\(Self.namespace)\" "
                + "MajorVersion=\"6\" MinorVersion=\"0\" FixVersion=\"0\">\n"
        }
    }

    /// One sale, void or refund.
    func text(of entry: ExportedEntry, isFirst: Bool) -> String {
        switch self {
        case .csv: Self.rows(of: entry)
        case .json: (isFirst ? "\n" : ",\n") + entry.row.json.canonicalText.printableJSON
        case .poslog: POSLogTransaction(entry).text
        }
    }

    /// What stands behind the last order.
    func tail(count: Int) -> String {
        switch self {
        case .csv: ""
        case .json: "\n],\"count\":\(count)}\n"
        case .poslog: "</POSLog>\n"
        }
    }

    /// The namespace of ARTS, whose element names are used.
    static let namespace = "http://www.nrf-arts.org/IXRetail/namespace/"
}

/// A sale, void or refund of an export.
struct ExportedEntry {
    /// As `list-orders` has it, with the `payload` of its mutation and its `document`; amounts of what came
    /// back are negative.
    let row: ListRow<OrderMember>
    /// What counts of it in the figures; the amounts of what came back as they are in the journal feed.
    let document: SaleDocument
    /// -1 for what came back.
    let sign: Int64

    init(_ json: JSONValue) {
        row = ListRow(json)
        document = SaleDocument(shown: row[.document]).counted
        sign = row.text(.type) == JournalDocument.Kind.order.rawValue ? 1 : -1
    }
}

extension OrderFormat {
    private typealias Column = (
        name: String, value: @Sendable (_ entry: ExportedEntry, _ line: SaleDocument.Line) -> JSONValue?
    )

    /// A row for each line; amounts in minor units.
    private static let columns: [Column] = [
        ("order_id", { entry, _ in entry.row[.orderId] }),
        ("order_number", { entry, _ in entry.row[.orderNumber] }),
        ("store_id", { entry, _ in entry.row[.storeId] }),
        ("terminal_id", { entry, _ in entry.row[.terminalId] }),
        ("business_day", { entry, _ in entry.row[.businessDay] }),
        ("received_at", { entry, _ in entry.row[.receivedAt] }),
        ("state", { entry, _ in entry.row[.state] }), ("cashier_id", { entry, _ in entry.row[.cashierId] }),
        ("member_id", { entry, _ in JSONValue(entry.document.memberId) }),
        ("currency", { entry, _ in entry.row[.currency] }),
        ("order_total", { entry, _ in entry.row[.total] }),
        ("order_discounts", { entry, _ in entry.row[.discounts] }),
        ("order_tax", { entry, _ in entry.row[.tax] }),
        ("order_refunded", { entry, _ in entry.row[.refunded] }),
        ("sku", { _, line in JSONValue(line.sku) }),
        ("barcode", { _, line in JSONValue(line.barcode) }), ("name", { _, line in JSONValue(line.name) }),
        ("quantity_milli", { entry, line in JSONValue(line.quantityMilli.map { entry.sign * $0 }) }),
        ("unit_price", { _, line in JSONValue(line.unitPrice) }),
        ("discount", { entry, line in JSONValue(line.discount.map { entry.sign * $0 }) }),
        ("line_total", { entry, line in .integer(entry.sign * line.total) }),
        ("tax_basis_points", { _, line in .integer(line.taxBasisPoints) }),
        ("mutation_id", { entry, _ in entry.row[.mutationId] }), ("type", { entry, _ in entry.row[.type] }),
        ("sold_at", { entry, _ in entry.row[.soldAt] }),
        ("line_tax", { entry, line in JSONValue(line.tax.map { entry.sign * $0 }) }),
    ]

    /// The first row of the file of payments.
    static let paymentsHead = "order_id,type,method,kind,amount,change,cash_rounding\r\n"

    /// A row for each payment: the amounts less change and rounding come to the total of the entry, and of
    /// each method to its figures.
    static func paymentRows(of entry: ExportedEntry) -> String {
        entry.document.kept.map { kept in
            let cells: [JSONValue?] = [
                entry.row[.orderId], entry.row[.type], .string(kept.payment.method),
                JSONValue(kept.payment.kind), .integer(entry.sign * kept.payment.amount),
                .integer(entry.sign * kept.change), .integer(entry.sign * kept.cashRounding),
            ]
            return cells.map(field).joined(separator: ",") + "\r\n"
        }.joined()
    }

    /// With which a cell is a formula, or a spreadsheet looks behind it for one.
    private static let formulaStarts: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r"]

    private static func rows(of entry: ExportedEntry) -> String {
        entry.document.lines.map { line in
            columns.map { field($0.value(entry, line)) }.joined(separator: ",") + "\r\n"
        }.joined()
    }

    /// RFC 4180: quoted where it has to be. A spreadsheet computes a text that begins like a formula, so that
    /// one has an apostrophe in front, by which it is a text there; and no screen acts on a text.
    private static func field(_ value: JSONValue?) -> String {
        var text: String
        switch value {
        case .string(let value): text = value
        case .integer(let number): return String(number)
        case .none, .null: return ""
        case .some(let other): text = other.canonicalText
        }
        let isFormula = text.unicodeScalars.first.map(Self.formulaStarts.contains) ?? false
        text = (isFormula ? "'" : "") + text.printable
        let special: [UInt8] = [0x22, 0x2C, 0x0A, 0x0D]
        guard text.utf8.contains(where: special.contains) || text.hasPrefix(" ") || text.hasSuffix(" ") else {
            return text
        }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
            + "\""
    }
}

/// A sale, void or refund as a transaction of ARTS POSLog, with the elements of `docs/reference/poslog.xsd`.
private struct POSLogTransaction {
    private let order: ListRow<OrderMember>
    private let entry: ExportedEntry
    private let currency: String

    init(_ entry: ExportedEntry) {
        order = entry.row
        self.entry = entry
        currency = order[.currency]?.string ?? ""
    }

    var text: String {
        let lines = entry.document.lines.map(item)
        let items = lines + entry.document.kept.map { tender($0.payment, change: $0.change) }
        let cashier = order[.cashierId]?.string.map { element("OperatorID", $0) } ?? ""
        return "<Transaction TransactionStatus=\"\(Self.status)\">"
            + "<BusinessUnit>\(element("UnitID", order[.storeId]?.string))</BusinessUnit>"
            + element("WorkstationID", order[.terminalId]?.string)
            + element("TransactionID", order[.mutationId]?.string)
            + element("BusinessDayDate", order[.businessDay]?.string)
            + element("EndDateTime", (order[.soldAt]?.string ?? order[.receivedAt]?.string))
            + element("ReceiveDateTime", order[.receivedAt]?.string) + element("CurrencyCode", currency)
            + cashier
            + "<RetailTransaction>" + element("ReceiptNumber", order[.orderNumber]?.string)
            + element("SpecialOrderNumber", order[.orderId]?.string)
            + items.enumerated().map { index, item in
                "<LineItem>\(element("SequenceNumber", String(index + 1)))\(item)</LineItem>"
            }.joined()
            + total("TransactionGrossAmount", gross) + total("TransactionDiscountAmount", order[.discounts])
            + total("TransactionGrandAmount", order[.total]) + total("TransactionTaxAmount", order[.tax])
            + total("TransactionRoundingAmount", .integer(entry.sign * entry.document.cashRounding))
            + total("TransactionReturnedAmount", order[.refunded])
            + "</RetailTransaction></Transaction>\n"
    }

    private var gross: JSONValue {
        .integer((order[.total]?.integer ?? 0) + (order[.discounts]?.integer ?? 0))
    }

    /// Of a voided sale, too: its void is a transaction of its own, and a reader that leaves voided ones out
    /// would take the sale back twice.
    private static let status = "Completed"

    private func item(_ line: SaleDocument.Line) -> String {
        let name = entry.sign > 0 ? "Sale" : "Return"
        let barcode = line.barcode.map { element("POSItemID", $0) } ?? ""
        return "<\(name)>\(barcode)"
            + element("ItemID", line.sku) + element("Description", line.name)
            + element("RegularSalesUnitPrice", amount(line.unitPrice))
            + element("ExtendedAmount", amount(entry.sign * line.total))
            + element("DiscountAmount", amount(entry.sign * (line.discount ?? 0)))
            + element("Quantity", QuantityText.text(milli: entry.sign * (line.quantityMilli ?? 0)))
            + element(
                "TaxPercent",
                QuantityText.text(milli: line.taxBasisPoints.multipliedReportingOverflow(by: 10).0))
            + "</\(name)>"
    }

    private func tender(_ payment: SaleDocument.Payment, change: Int64) -> String {
        let back =
            change == 0
            ? "" : "<TenderChange>\(element("Amount", amount(entry.sign * change)))</TenderChange>"
        return "<Tender>" + element("TenderID", payment.method)
            + element("Amount", amount(entry.sign * payment.amount)) + back + "</Tender>"
    }

    private func total(_ type: String, _ value: JSONValue?) -> String {
        "<Total TotalType=\"\(type)\">\(amount(value?.integer))</Total>"
    }

    /// With the decimals of the currency.
    private func amount(_ value: Int64?) -> String {
        AmountText.text(value ?? 0, currency: currency)
    }

    private func element(_ name: String, _ text: String?) -> String {
        "<\(name)>\(Self.escaped(text ?? ""))</\(name)>"
    }

    /// What XML 1.0 cannot hold becomes U+FFFD.
    private static func escaped(_ text: String) -> String {
        var output = ""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x26: output += "&amp;"
            case 0x3C: output += "&lt;"
            case 0x3E: output += "&gt;"
            case 0x09, 0x0A, 0x0D: output += "&#\(scalar.value);"
            case 0..<0x20, 0xFFFE, 0xFFFF: output += "\u{FFFD}"
            case _: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }
}
