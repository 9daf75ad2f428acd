internal import HubProtocol

/// `GET /v1/products`: the article of a barcode.
package struct ProductCall: AgentCall {
    /// As scanned or typed; it has to match a barcode of the catalogue exactly.
    package let barcode: String

    /// A call for one barcode, which is an opaque text.
    package init(barcode: String) {
        self.barcode = barcode
    }

    /// Reads a query.
    ///
    /// - Throws: `malformed` without `barcode`.
    package init(query: [String: String]) throws(RequestRefusal) {
        guard let barcode = query["barcode"] else { throw RequestRefusal.malformed("barcode", "given") }
        self.barcode = barcode
    }

    /// `GET /v1/products?barcode=…`; an unknown one is refused with `unknown_barcode`.
    package var request: AgentRequest {
        AgentRequest("GET", AgentRoutes.products, query: ["barcode": barcode])
    }

    /// The article as the terminal's own catalogue has it; no request goes to the hub.
    package struct Response: MemberDocument {
        /// The store's id of the article, opaque.
        package var sku = ""
        /// The article's barcode in the catalogue.
        package var barcode = ""
        /// The article's name in the catalogue, in one language.
        package var name = ""
        /// Minor units for a whole unit.
        package var priceMinor: Int64 = 0
        /// ISO 4217.
        package var currency = ""
        /// What the store has of it; nil: not counted.
        package var stock: Stock?

        /// An article; `priceMinor` includes the tax. By default its stock is not counted.
        package init(
            sku: String, barcode: String, name: String, priceMinor: Int64, currency: String,
            stock: Stock? = nil
        ) {
            self.sku = sku
            self.barcode = barcode
            self.name = name
            self.priceMinor = priceMinor
            self.currency = currency
            self.stock = stock
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("sku", &sku)
            try m("barcode", &barcode)
            try m("name", &name)
            try m("priceMinor", &priceMinor)
            try m("currency", &currency)
            try m.optional("stock", &stock)
        }
    }

    /// How much of an article there is.
    package struct Stock: MemberDocument {
        /// Thousandths of a unit.
        package var milli: Int64 = 0
        /// RFC 3339: when the hub counted; nil: not known.
        package var countedAt: String?

        package init(milli: Int64, countedAt: String?) {
            self.milli = milli
            self.countedAt = countedAt
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("milli", &milli)
            try m.nullable("countedAt", &countedAt)
        }
    }
}

/// `GET /v1/products/search`: the articles of the catalogue that contain a text.
package struct ProductSearchCall: AgentCall {
    /// Articles that are returned without a limit of one's own: more than a screen shows.
    package static let defaultLimit: Int64 = 50
    /// The largest limit; ten times it is no longer a search but an export.
    package static let maximumLimit: Int64 = 500

    /// Any part of a name, an SKU or a barcode, upper and lower case alike; one character is enough.
    package let text: String
    /// Articles to return, 1 to 500.
    package let limit: Int64

    /// A search; the limit is 50 by default.
    package init(_ text: String, limit: Int64 = defaultLimit) {
        (self.text, self.limit) = (text, limit)
    }

    /// Reads a query.
    ///
    /// - Throws: `malformed` without a `text`, and for a `limit` outside 1 to 500.
    package init(query: [String: String]) throws(RequestRefusal) {
        guard let text = query["text"], text.contains(where: { !$0.isWhitespace }) else {
            throw RequestRefusal.malformed("text", "at least one character to search for")
        }
        let limit = query["limit"].map { Int64($0) ?? 0 } ?? Self.defaultLimit
        guard (1...Self.maximumLimit).contains(limit) else {
            throw RequestRefusal.malformed("limit", "1 to \(Self.maximumLimit)")
        }
        self.init(text, limit: limit)
    }

    /// `GET /v1/products/search?limit=50&text=…`.
    package var request: AgentRequest {
        AgentRequest("GET", AgentRoutes.productSearch, query: ["text": text, "limit": "\(limit)"])
    }

    /// The document of `pos products search --json`.
    package struct Response: MemberDocument {
        /// An exact SKU or barcode first, then names that begin with the text, then the rest by name.
        package var products: [ProductCall.Response] = []

        package init(products: [ProductCall.Response]) {
            self.products = products
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("products", &products)
        }
    }
}

/// `GET /v1/departments`: what an article can be sold as that the catalogue does not have.
package struct DepartmentListCall: AgentCall {
    /// The only form; the list is short.
    package init() {}

    /// `GET /v1/departments`.
    package var request: AgentRequest { AgentRequest("GET", AgentRoutes.departments) }

    /// The document of `pos products departments --json`.
    package struct Response: MemberDocument {
        /// By name, then by tax rate; a department whose articles have several rates is there once for each.
        package var departments: [DepartmentRecord] = []

        /// The departments; none is not an error.
        package init(departments: [DepartmentRecord]) {
            self.departments = departments
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("departments", &departments)
        }
    }
}

/// A department with one of its tax rates.
package struct DepartmentRecord: MemberDocument {
    /// As imported with the articles.
    package var department = ""
    /// The tax included in the price, in hundredths of a percent.
    package var taxBasisPoints: Int64 = 0
    /// ISO 4217.
    package var currency = ""

    package init(department: String, taxBasisPoints: Int64, currency: String) {
        self.department = department
        self.taxBasisPoints = taxBasisPoints
        self.currency = currency
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("department", &department)
        try m("taxBasisPoints", &taxBasisPoints)
        try m("currency", &currency)
    }
}
