public import HubProtocol

/// The sale that a refund is of, as its mutation names it.
public enum RefundedSale: Hashable, Sendable {
    /// By the order's id; empty for goods that came back without a receipt.
    case order(String)
    /// By the signed code of a receipt, also before the sale has arrived.
    case receipt(ReceiptCode)

    /// Reads the payload of a `refund.completed`.
    init(payload: JSONValue) throws(ShapeError) {
        if let code = try payload.optionalString("receiptCode") {
            self = .receipt(try ReceiptCode(text: code))
        } else {
            self = .order(payload["orderId"]?.string ?? "")
        }
    }
}

/// A terminal whose device key signs receipts.
public struct ReceiptSigner: Hashable, Sendable {
    /// The store that it is enrolled in.
    public let storeId: String
    /// Ed25519, 32 bytes in base64.
    public let publicKey: String

    /// Makes a signer from a terminal's row.
    public init(storeId: String, publicKey: String) {
        self.storeId = storeId
        self.publicKey = publicKey
    }
}

/// The code of a receipt beside what the hub has of the sale.
///
/// A refund by a code is a fact: the money was given back, perhaps while no hub was there to prevent it. So
/// nothing of it is refused, and what is too much is flagged.
public struct ReceiptRefund: Hashable, Sendable {
    let code: ReceiptCode
    /// Whether the terminal that the code names signed it, and sold what it names: a terminal's signature is
    /// no right to the sales of others.
    public let isSigned: Bool
    /// The sale of the code's number, with what came back of it before.
    public let order: RefundableOrder

    /// - Parameters:
    ///   - signer: the terminal that the code names; nil when there is none.
    ///   - seller: the terminal that sold `order`; nil when that is not there. A device that enrolled again
    ///     has another id and the same key.
    public init(_ code: ReceiptCode, signer: ReceiptSigner?, seller: ReceiptSigner?, order: RefundableOrder) {
        self.code = code
        self.order = order
        let isSellers = order.state == nil || seller == signer
        isSigned = isSellers && (signer.map { code.isSigned(by: $0.publicKey) } ?? false)
    }

    /// What has to be noted about `refund`. Without the sale the signed code itself is the measure; a code
    /// that nobody signed proves no sale.
    ///
    /// - Parameter reserved: what other terminals are about to give back of the sale.
    func flags(of refund: RefundFacts, besides reserved: [RefundGrant] = []) -> Set<IntakeFlag> {
        var flags: Set<IntakeFlag> = []
        if !isSigned || order.state == nil { flags.insert(.refundUnmatched) }
        guard let total = order.sale?.total ?? (isSigned ? code.total : nil) else { return flags }
        let isTooLarge =
            order.sale.map { RefundRules.excess(of: refund, on: $0, earlier: []) != nil } ?? false
        if refund.total > total || isTooLarge {
            flags.insert(.refundExceedsSale)
        } else if RefundRules.objection(to: .refund(refund), of: order, besides: reserved) != nil
            || (order.refunds + [refund]).reduce(0, { Merging.add($1.total, to: $0) ?? .max }) > total
        {
            flags.insert(.refundRepeated)
        }
        return flags
    }

    /// What may be counted back into stock of the goods in `payload`, in thousandths by sku: what the sale
    /// took out, or, before the sale is there, what the signed code lists.
    func goods(in payload: JSONValue) -> [String: Int64] {
        if let sale = order.sale { return sale.goods }
        guard isSigned else { return [:] }
        var sold: [String: Int64] = [:]
        for line in code.lines {
            sold[line.barcode] = Merging.add(line.quantityMilli, to: sold[line.barcode] ?? 0) ?? .max
        }
        var goods: [String: Int64] = [:]
        for line in payload["lines"]?.array ?? [] {
            guard let sku = line["sku"]?.string, let barcode = line["barcode"]?.string,
                let quantity = sold.removeValue(forKey: barcode)
            else { continue }
            goods[sku] = Merging.add(quantity, to: goods[sku] ?? 0) ?? .max
        }
        return goods
    }
}

extension IntakeTransaction {
    /// Looks up what a receipt's code names.
    package func receipt(_ code: ReceiptCode) throws -> ReceiptRefund {
        let order = try refundable(.number(code.orderNumber))
        return ReceiptRefund(
            code, signer: try receiptSigner(code.terminalId),
            seller: try order.terminalId.flatMap { try receiptSigner($0) }, order: order)
    }
}
