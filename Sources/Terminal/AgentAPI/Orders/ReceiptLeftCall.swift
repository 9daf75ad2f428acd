package import HubProtocol

/// `POST /v1/refunds/left`: what of the sale of a receipt, any terminal's, can still come back. Nothing is
/// recorded or reserved.
package struct ReceiptLeftCall: AgentCall {
    /// The sale's lines with what is left of each.
    package typealias Response = ReceiptLeftResponse

    /// The code of the receipt, `HF1.…`.
    package let receiptCode: String

    /// A call for one receipt. The agent refuses a code that is torn or forged with `receipt_code_invalid`,
    /// and one that neither the hub nor this terminal can check with `receipt_unchecked`.
    package init(receiptCode: String) { self.receiptCode = receiptCode }

    /// Reads the body of a request.
    ///
    /// - Throws: `unknownField` for another member, `malformed` for a code that is missing or no string.
    package init(body: JSONValue?) throws(RequestRefusal) {
        let members = RequestMembers(body ?? [:], of: .refund)
        try members.refuseUnknown(["receiptCode"])
        guard let code = try members.text("receiptCode") else {
            throw members.malformed("receiptCode", "the code of a receipt")
        }
        self.init(receiptCode: code)
    }

    /// `POST /v1/refunds/left`.
    package var request: AgentRequest {
        AgentRequest("POST", AgentRoutes.receiptLeft, body: ["receiptCode": .string(receiptCode)])
    }
}

/// The sale of a receipt with what of it can still come back.
package struct ReceiptLeftResponse: MemberDocument {
    /// A line of the sale.
    package struct Line: MemberDocument {
        /// The article.
        package var sku = ""
        /// As sold.
        package var barcode = ""
        /// The article's name.
        package var name = ""
        /// Thousandths of a unit that were sold.
        package var quantityMilli: Int64 = 0
        /// Minor units that were paid for them.
        package var total: Int64 = 0
        /// Thousandths of a unit that can still come back.
        package var left: Int64 = 0

        package init(
            sku: String, barcode: String, name: String, quantityMilli: Int64, total: Int64, left: Int64
        ) {
            (self.sku, self.barcode, self.name) = (sku, barcode, name)
            (self.quantityMilli, self.total, self.left) = (quantityMilli, total, left)
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("sku", &sku)
            try m("barcode", &barcode)
            try m("name", &name)
            try m("quantityMilli", &quantityMilli)
            try m("total", &total)
            try m("left", &left)
        }
    }

    /// As printed.
    package var orderNumber = ""
    /// ISO 4217.
    package var currency = ""
    /// In the order of the sale; without the hub those alone whose article the catalogue has.
    package var lines: [Line] = []
    /// Who decided ``Line/left``.
    package var leftBy = LeftBy.till
    /// What came back at other terminals, as far as the hub has reported it, oldest first; of a sale that is
    /// not this terminal's what came back here, too.
    package var returnedElsewhere: [ReceiptSale.Refund] = []

    package init(
        orderNumber: String, currency: String, lines: [Line], leftBy: LeftBy,
        returnedElsewhere: [ReceiptSale.Refund]
    ) {
        (self.orderNumber, self.currency, self.lines) = (orderNumber, currency, lines)
        (self.leftBy, self.returnedElsewhere) = (leftBy, returnedElsewhere)
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("orderNumber", &orderNumber)
        try m("currency", &currency)
        try m("lines", &lines)
        try m("leftBy", &leftBy)
        try m("returnedElsewhere", &returnedElsewhere, missing: [])
    }
}
