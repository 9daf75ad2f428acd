internal import HubProtocol
internal import Pricing
internal import Retail

/// Signs the codes of this terminal's receipts.
struct ReceiptSigner: Sendable {
    let terminalId: String
    let key: DeviceKey

    /// The code of a sale, some tens of microseconds of work; nil where it cannot be signed.
    func code(of sale: Sale) -> String? {
        let content = sale.content
        return ReceiptCode(
            terminalId: terminalId, orderNumber: sale.orderNumber.description,
            soldAt: content.madeAt / 1000, currency: content.currency, total: content.totals.total,
            lines: content.lines.map { line in
                ReceiptCode.Line(
                    barcode: line.barcode, quantityMilli: line.price.quantityMilli, amount: line.price.total)
            }, sign: key.sign)?.text
    }
}
