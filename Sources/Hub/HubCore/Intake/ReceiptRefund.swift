package import HubProtocol

/// The sale that a refund is of, as its mutation names it.
package enum RefundedSale: Hashable, Sendable {
    /// By the order's id; empty for goods that came back without a receipt.
    case order(String)
    /// By the signed code of a receipt, also before the sale has arrived.
    case receipt(ReceiptCode)

    /// As the refund names it.
    init(of refund: CompletedRefund) throws(ShapeError) {
        if let code = refund.receiptCode {
            self = .receipt(try ReceiptCode(text: code))
        } else {
            self = .order(refund.orderId.map(TextBound.key) ?? "")
        }
    }
}

/// A terminal whose device key signs receipts.
package struct ReceiptSigner: Hashable, Sendable {
    /// The store that it is enrolled in.
    package let storeId: String
    /// Its number within the store, which is in its order numbers.
    package let number: Int64
    /// Ed25519, 32 bytes in base64.
    package let publicKey: String

    package init(storeId: String, number: Int64, publicKey: String) {
        self.storeId = storeId
        self.number = number
        self.publicKey = publicKey
    }

    /// Whether both are one device: each enrolment has its own number.
    fileprivate func isDevice(of other: ReceiptSigner) -> Bool {
        storeId == other.storeId && publicKey == other.publicKey
    }

    /// Whether a signature of this terminal may be about the sale of `number`.
    ///
    /// Before the sale is there the number itself says whose it is, since everybody can write down the number
    /// of another's next sale. Once it is there, whoever sold it under a number that counts was its owner.
    ///
    /// - Parameter seller: the terminal that sold it; nil while the sale is not there.
    fileprivate func owns(_ number: String, soldBy seller: ReceiptSigner?, isSold: Bool) -> Bool {
        isSold
            ? seller.map(isDevice) ?? false
            : OrderNumberParts(number)?.belongs(to: storeId, self.number) ?? false
    }
}

/// The code of a receipt beside what the hub has of the sale.
///
/// A refund by a code is a fact: the money was given back, perhaps while no hub was there to prevent it. So
/// nothing of it is refused, and what is too much is flagged.
package struct ReceiptRefund: Hashable, Sendable {
    let code: ReceiptCode
    /// Whether the terminal that the code names signed it about a sale of its own: a terminal's signature is
    /// no right to the sales of others, and none to those that are still to come.
    package let isSigned: Bool
    /// Whether it is signed about the sale of another terminal.
    let isForeign: Bool
    /// The sale of the code's number, with what came back of it before.
    package let order: RefundableOrder

    /// - Parameters:
    ///   - signer: the terminal that the code names; nil when there is none.
    ///   - seller: the terminal that sold `order`; nil when that is not there. A device that enrolled again
    ///     has another id and the same key.
    ///   - proofs: what was verified before; by default nothing.
    package init(
        _ code: ReceiptCode, signer: ReceiptSigner?, seller: ReceiptSigner?, order: RefundableOrder,
        proofs: ReceiptProofs = ReceiptProofs()
    ) {
        self.code = code
        self.order = order
        guard let signer, proofs.isSigned(code, by: signer.publicKey) else {
            (isSigned, isForeign) = (false, false)
            return
        }
        isSigned = signer.owns(code.orderNumber, soldBy: seller, isSold: order.state != nil)
        isForeign = !isSigned
    }

    /// What has to be noted about `refund`. Without the sale the signed code itself is the measure; a code
    /// that nobody signed proves no sale.
    ///
    /// - Parameter reserved: what other terminals are about to give back of the sale.
    func flags(of refund: RefundFacts, besides reserved: [RefundGrant] = []) -> Set<IntakeFlag> {
        guard isSigned else {
            return isForeign ? [.refundUnmatched, .receiptCodeForeign] : [.refundUnmatched]
        }
        var flags: Set<IntakeFlag> = order.state == nil ? [.refundUnmatched] : []
        let total = order.sale?.total ?? code.total
        let isTooLarge =
            order.sale.map {
                RefundRules.excess(of: refund, on: $0, goods: order.goods, earlier: []) != nil
            } ?? false
        if refund.total > total || isTooLarge {
            flags.insert(.refundExceedsSale)
        } else if RefundRules.objection(to: .refund(refund), of: order, besides: reserved) != nil
            || (order.refunds + [refund]).reduce(0, { Merging.add($1.total, to: $0) ?? .max }) > total
        {
            flags.insert(.refundRepeated)
        }
        return flags
    }

    /// The sale that a refund by the code counts against; empty: it is not there, or the code is no right to
    /// it.
    var orderId: String { isSigned ? order.orderId ?? "" : "" }

    /// The number of the sale that a refund by the code counts against, also when that arrives later; nil: of
    /// none.
    var orderNumber: String? { isSigned ? code.orderNumber : nil }

    /// What may be counted back into stock of the goods of `refund`, in thousandths by sku: what the sale
    /// took out, or, before the sale is there and once its lines are in an archive, what the signed code
    /// lists.
    func goods(of refund: CompletedRefund) -> [String: Int64] {
        guard isSigned else { return [:] }
        if order.sale != nil, let goods = order.goods { return goods }
        var sold: [String: Int64] = [:]
        for line in code.lines {
            sold[line.barcode] = Merging.add(line.quantityMilli, to: sold[line.barcode] ?? 0) ?? .max
        }
        var goods: [String: Int64] = [:]
        for line in refund.lines ?? [] {
            guard let sku = line.sku, let barcode = line.barcode,
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
            seller: try order.terminalId.flatMap { try receiptSigner($0) }, order: order, proofs: proofs)
    }
}

/// Which codes of receipts were verified within one transaction: a refund is looked at several times, and its
/// signature costs more than all else of it.
package final class ReceiptProofs {
    private struct Proof: Hashable {
        let code: String
        let publicKey: String
    }

    private var known: [Proof: Bool] = [:]

    /// Knows nothing.
    package init() {}

    /// Whether the device with the key signed the code.
    package func isSigned(_ code: ReceiptCode, by publicKey: String) -> Bool {
        let proof = Proof(code: code.text, publicKey: publicKey)
        if let known = known[proof] { return known }
        let isSigned = code.isSigned(by: publicKey)
        known[proof] = isSigned
        return isSigned
    }
}
