/// The body of `POST /v1/promotions/evaluate` (http.md section 6):
/// `{"memberId","coupons":[…],"timeZone","lines":[{"sku","department","quantityMilli","unitPrice",
/// "discount"}]}`.
///
/// Amounts are minor units of the catalogue's currency. `memberId`, `coupons`, `timeZone`, `discount` and
/// `department` may be missing; a missing department is looked up by the sku.
package struct BasketShape: Hashable, Sendable {
    /// One line of the sale; the response has a line in the same place.
    package struct Line: Hashable, Sendable {
        /// The article's key in the catalogue.
        package let sku: String
        /// Nil: as the hub's catalogue has it.
        package let department: String?
        /// Thousandths of a unit, from 1 on.
        package let quantityMilli: Int64
        /// Minor units per whole unit.
        package let unitPrice: Int64
        /// Minor units that the cashier takes off the whole line.
        package let discount: Int64

        package init(
            sku: String, department: String?, quantityMilli: Int64, unitPrice: Int64, discount: Int64
        ) {
            self.sku = sku
            self.department = department
            self.quantityMilli = quantityMilli
            self.unitPrice = unitPrice
            self.discount = discount
        }
    }

    /// The member that the sale is for; nil: none.
    package let memberId: String?
    /// Codes as they were typed, in that order; at most 50.
    package let coupons: [String]
    /// The store's by the terminal, a name of the tz database; nil: as the hub has it.
    package let timeZone: String?
    /// In the order of the sale; at most 500.
    package let lines: [Line]

    /// The most lines and coupons that one call evaluates.
    package static let limits = (lines: 500, coupons: 50)

    /// Makes a basket without a check of ``limits``.
    package init(memberId: String?, coupons: [String], timeZone: String? = nil, lines: [Line]) {
        self.memberId = memberId
        self.timeZone = timeZone
        self.coupons = coupons
        self.lines = lines
    }

    /// Reads the body. Throws ``ShapeError`` past ``limits`` and for amounts out of range, with the line's
    /// place in its path.
    package init(json: JSONValue) throws(ShapeError) {
        memberId = try json.optionalString("memberId")
        coupons = try json.strings("coupons")
        timeZone = try json.optionalString("timeZone")
        let elements = try json.requiredArray("lines")
        guard elements.count <= Self.limits.lines else {
            throw ShapeError(path: "lines", expected: "at most \(Self.limits.lines) long")
        }
        guard coupons.count <= Self.limits.coupons else {
            throw ShapeError(path: "coupons", expected: "at most \(Self.limits.coupons) long")
        }
        var lines: [Line] = []
        for (index, element) in elements.enumerated() {
            do {
                lines.append(try Line(json: element))
            } catch {
                throw ShapeError(path: "lines[\(index)].\(error.path)", expected: error.expected)
            }
        }
        self.lines = lines
    }

    /// The body of the request; nil is written as `null`, but for the time zone, which is left out.
    package var json: JSONValue {
        var members: JSONObject = [
            "memberId": JSONValue(memberId), "coupons": .array(coupons.map(JSONValue.string)),
            "lines": .array(lines.map(\.json)),
        ]
        if let timeZone { members["timeZone"] = .string(timeZone) }
        return .object(members)
    }
}

extension BasketShape.Line {
    fileprivate init(json: JSONValue) throws(ShapeError) {
        self.init(
            sku: try json.requiredString("sku"), department: try json.optionalString("department"),
            quantityMilli: try json.requiredInteger("quantityMilli", in: 1...(1 << 53 - 1)),
            unitPrice: try json.requiredInteger("unitPrice", in: 0...(1 << 53 - 1)),
            discount: try json.optionalInteger("discount", in: 0...(1 << 53 - 1)) ?? 0)
    }

    fileprivate var json: JSONValue {
        [
            "sku": .string(sku), "department": JSONValue(department),
            "quantityMilli": .integer(quantityMilli), "unitPrice": .integer(unitPrice),
            "discount": .integer(discount),
        ]
    }
}
