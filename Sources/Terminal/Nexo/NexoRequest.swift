import HubProtocol

/// What the till requests of a machine.
package enum NexoRequest: Hashable, Sendable {
    /// - Parameter moment: `2026-11-25T14:05:11.000Z`.
    case login(at: String)
    case diagnosis
    case payment(NexoOrder)
    /// To whatever card is presented, without a reference.
    case refund(NexoOrder)
    /// Undoes a payment, or gives a part of it back.
    case reversal(NexoOrder, of: NexoTransaction)
    /// What became of the request with this id.
    case status(of: NexoHeader.Category, serviceId: String)
    /// A request: the payment's own response says how it ended.
    case abort(serviceId: String)
    /// - Parameter period: one that was closed already; nil: the one of now, which this closes.
    case reconciliation(period: String?)
    /// The newest payment of the machine, whoever requested it.
    case newestPayment

    package var category: NexoHeader.Category {
        switch self {
        case .login: .login
        case .diagnosis: .diagnosis
        case .payment, .refund: .payment
        case .reversal: .reversal
        case .status, .newestPayment: .status
        case .abort: .abort
        case .reconciliation: .reconciliation
        }
    }

    /// The plain message; nil for an amount that no message carries.
    package func message(_ header: NexoHeader) -> [UInt8]? {
        guard let content = content(saleId: header.saleId) else { return nil }
        let request: JSONObject = ["MessageHeader": header.json, "\(category.rawValue)Request": content]
        return (["SaleToPOIRequest": .object(request)] as JSONValue).canonicalBytes
    }

    /// What goes over the line: the message, sealed where the machine has a key.
    ///
    /// - Parameter nonce: 16 fresh random bytes.
    package func bytes(_ header: NexoHeader, sealedBy cipher: NexoCipher?, nonce: [UInt8]) -> [UInt8]? {
        guard let message = message(header) else { return nil }
        guard let cipher else { return message }
        guard var envelope = cipher.sealed(message, nonce: nonce) else { return nil }
        envelope["MessageHeader"] = header.json
        return (["SaleToPOIRequest": .object(envelope)] as JSONValue).canonicalBytes
    }

    private func content(saleId: String) -> JSONValue? {
        switch self {
        case .login(let moment):
            [
                "DateTime": .string(moment), "OperatorLanguage": "en",
                "SaleSoftware": [
                    "ManufacturerID": "Holdfast", "ApplicationName": "pos", "SoftwareVersion": "1",
                    "CertificationCode": "none",
                ],
            ]
        case .diagnosis: ["HostDiagnosisFlag": false]
        case .payment(let order): order.payment("Normal")
        case .refund(let order): order.payment("Refund")
        case .reversal(let order, let original): order.reversal(of: original)
        case .status(let category, let serviceId):
            [
                "ReceiptReprintFlag": true, "DocumentQualifier": ["CashierReceipt", "CustomerReceipt"],
                "MessageReference": Self.reference(category, serviceId, saleId),
            ]
        case .abort(let serviceId):
            [
                "AbortReason": "MerchantAbort",
                "MessageReference": Self.reference(.payment, serviceId, saleId),
            ]
        case .reconciliation(let period?):
            ["ReconciliationType": "PreviousReconciliation", "POIReconciliationID": .string(period)]
        case .reconciliation(nil): ["ReconciliationType": "SaleReconciliation"]
        case .newestPayment:
            [
                "ReceiptReprintFlag": false,
                "MessageReference": ["MessageCategory": .string(NexoHeader.Category.payment.rawValue)],
            ]
        }
    }

    private static func reference(
        _ category: NexoHeader.Category, _ serviceId: String, _ saleId: String
    ) -> JSONValue {
        [
            "MessageCategory": .string(category.rawValue), "SaleID": .string(saleId),
            "ServiceID": .string(serviceId),
        ]
    }
}

/// Money that is to move.
package struct NexoOrder: Hashable, Sendable {
    /// The till's key, which the machine's reports show.
    package let key: String
    /// In the currency's smallest unit, above 0.
    package let amount: Int64
    /// ISO 4217.
    package let currency: String
    /// `2026-11-25T14:05:11.000Z`.
    package let moment: String

    package init(key: String, amount: Int64, currency: String, moment: String) {
        self.key = key
        self.amount = amount
        self.currency = currency
        self.moment = moment
    }

    private var saleData: JSONValue {
        ["SaleTransactionID": ["TransactionID": .string(key), "TimeStamp": .string(moment)]]
    }

    fileprivate func payment(_ kind: String) -> JSONValue? {
        NexoAmount.json(amount, currency: currency).map { amount in
            [
                "SaleData": saleData, "PaymentData": ["PaymentType": .string(kind)],
                "PaymentTransaction": [
                    "AmountsReq": ["Currency": .string(currency), "RequestedAmount": amount]
                ],
            ]
        }
    }

    /// Always with its amount: what a machine gives back is what the till said.
    fileprivate func reversal(of original: NexoTransaction) -> JSONValue? {
        NexoAmount.json(amount, currency: currency).map { amount in
            [
                "OriginalPOITransaction": [
                    "POITransactionID": [
                        "TransactionID": .string(original.id), "TimeStamp": .string(original.moment),
                    ]
                ],
                "ReversalReason": "MerchantCancel", "ReversedAmount": amount, "SaleData": saleData,
            ]
        }
    }
}

/// A payment as the machine knows it. Both parts are needed to give its money back.
package struct NexoTransaction: Hashable, Sendable {
    package let id: String
    package let moment: String

    package init(id: String, moment: String) { (self.id, self.moment) = (id, moment) }

    /// Nil for anything but `ID@MOMENT`.
    package init?(reference: String) {
        guard let sign = reference.lastIndex(of: "@"), sign != reference.startIndex,
            reference.index(after: sign) != reference.endIndex
        else { return nil }
        self.init(id: String(reference[..<sign]), moment: String(reference[reference.index(after: sign)...]))
    }

    /// `ID@MOMENT`.
    package var reference: String { "\(id)@\(moment)" }
}
