internal import ArgumentParser
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

    /// One order.
    ///
    /// - Parameter order: as `list-orders` has it, with the `payload` of its mutation.
    func text(of order: JSONValue, isFirst: Bool) -> String {
        switch self {
        case .csv: Self.rows(of: ListRow(order))
        case .json: (isFirst ? "\n" : ",\n") + order.canonicalText.printableJSON
        case .poslog: POSLogTransaction(ListRow(order)).text
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

extension OrderFormat {
    private typealias Column = (
        name: String, value: @Sendable (ListRow<OrderMember>, CompletedOrder.Line) -> JSONValue?
    )

    /// A row for each line; amounts in minor units.
    private static let columns: [Column] = [
        ("order_id", { order, _ in order[.orderId] }),
        ("order_number", { order, _ in order[.orderNumber] }),
        ("store_id", { order, _ in order[.storeId] }),
        ("terminal_id", { order, _ in order[.terminalId] }),
        ("business_day", { order, _ in order[.businessDay] }),
        ("received_at", { order, _ in order[.receivedAt] }),
        ("state", { order, _ in order[.state] }), ("cashier_id", { order, _ in order[.cashierId] }),
        ("member_id", { order, _ in JSONValue(CompletedOrder(shown: order[.payload]).memberId) }),
        ("currency", { order, _ in order[.currency] }), ("order_total", { order, _ in order[.total] }),
        ("order_discounts", { order, _ in order[.discounts] }),
        ("order_tax", { order, _ in order[.tax] }),
        ("order_refunded", { order, _ in order[.refunded] }), ("sku", { _, line in .string(line.sku) }),
        ("barcode", { _, line in JSONValue(line.barcode) }), ("name", { _, line in JSONValue(line.name) }),
        ("quantity_milli", { _, line in .integer(line.quantityMilli) }),
        ("unit_price", { _, line in .integer(line.unitPrice) }),
        ("discount", { _, line in JSONValue(line.given) }),
        ("line_total", { _, line in JSONValue(line.total) }),
        ("tax_basis_points", { _, line in JSONValue(line.taxBasisPoints) }),
        ("mutation_id", { order, _ in order[.mutationId] }),
    ]

    /// With which a cell is a formula, or a spreadsheet looks behind it for one.
    private static let formulaStarts: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r"]

    private static func rows(of order: ListRow<OrderMember>) -> String {
        CompletedOrder(shown: order[.payload]).lines.map { line in
            columns.map { field($0.value(order, line)) }.joined(separator: ",") + "\r\n"
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

/// One order as a transaction of ARTS POSLog, with the elements of `docs/reference/poslog.xsd`.
private struct POSLogTransaction {
    private let order: ListRow<OrderMember>
    private let sale: CompletedOrder
    private let currency: String

    init(_ order: ListRow<OrderMember>) {
        self.order = order
        sale = CompletedOrder(shown: order[.payload])
        currency = order.text(.currency)
    }

    var text: String {
        var items = sale.lines.enumerated().map { item($0.offset + 1, sale: $0.element) }
        items += (sale.payments ?? []).enumerated().map {
            item(sale.lines.count + $0.offset + 1, tender: $0.element)
        }
        let cashier = order[.cashierId]?.string.map { element("OperatorID", $0) } ?? ""
        return "<Transaction TransactionStatus=\"\(status)\">"
            + "<BusinessUnit>\(element("UnitID", order[.storeId]?.string))</BusinessUnit>"
            + element("WorkstationID", order[.terminalId]?.string)
            + element("TransactionID", order[.mutationId]?.string)
            + element("BusinessDayDate", order[.businessDay]?.string)
            + element("EndDateTime", order[.receivedAt]?.string) + element("CurrencyCode", currency)
            + cashier
            + "<RetailTransaction>" + element("ReceiptNumber", order[.orderNumber]?.string)
            + element("SpecialOrderNumber", order[.orderId]?.string) + items.joined()
            + total("TransactionGrossAmount", gross) + total("TransactionDiscountAmount", order[.discounts])
            + total("TransactionGrandAmount", order[.total]) + total("TransactionTaxAmount", order[.tax])
            + total("TransactionReturnedAmount", order[.refunded])
            + "</RetailTransaction></Transaction>\n"
    }

    private var gross: JSONValue {
        .integer((order[.total]?.integer ?? 0) + (order[.discounts]?.integer ?? 0))
    }

    private var status: String { order[.state] == "voided" ? "Voided" : "Completed" }

    private func item(_ number: Int, sale line: CompletedOrder.Line) -> String {
        let rate = line.taxBasisPoints ?? 0
        let barcode = line.barcode.map { element("POSItemID", $0) } ?? ""
        return "<LineItem>\(element("SequenceNumber", String(number)))<Sale>\(barcode)"
            + element("ItemID", line.sku) + element("Description", line.name)
            + element("RegularSalesUnitPrice", amount(line.unitPrice))
            + element("ExtendedAmount", amount(line.total))
            + element("DiscountAmount", amount(line.given))
            + element("Quantity", QuantityText.text(milli: line.quantityMilli))
            + element("TaxPercent", QuantityText.text(milli: rate.multipliedReportingOverflow(by: 10).0))
            + "</Sale></LineItem>"
    }

    private func item(_ number: Int, tender: RecordedPayment) -> String {
        "<LineItem>\(element("SequenceNumber", String(number)))<Tender>"
            + element("TenderID", tender.method) + element("Amount", amount(tender.amount))
            + "</Tender></LineItem>"
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
