internal import HubCore
internal import HubProtocol
internal import HubStore

/// Finds the sale of a receipt for a terminal that does not hold it (http.md section 6).
///
/// The signed code is the right to see the sale: who has the receipt in hand has seen what is on it. So a
/// terminal of another store gets it too.
struct ReceiptRoutes: Sendable {
    let ledger: any Ledger

    var routes: [Route] { [Route(.post, Routes.receiptLookup, .confirmedDevice, response: find)] }

    @Sendable private func find(_ request: HubRequest) async throws -> HubResponse {
        let receipt = try await ledger.receipt(try Self.code(try await request.json()))
        guard receipt.isSigned else { throw Problem.receiptCodeInvalid }
        guard let sale = receipt.order.receiptSale else {
            throw Problem.notFound("The sale of this receipt has not arrived yet.")
        }
        return .json(sale.json)
    }

    private static func code(_ json: JSONValue) throws(Problem) -> ReceiptCode {
        let text = try Problem.reading(json.requiredString("receiptCode"))
        guard let code = try? ReceiptCode(text: text) else { throw .receiptCodeInvalid }
        return code
    }
}
