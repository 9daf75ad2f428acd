import Base

internal import AgentAPI
internal import HubProtocol
internal import Logging
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import MachineRuntime

/// Sales, quotes and articles.
struct SalesHandler: RequestHandler {
    let checkout: Checkout
    let orders: Orders
    let carts: Carts
    let frontEnds: FrontEnds
    let catalogue: any Catalogue
    let search: any ProductSearching
    let printing: PrintingFeature
    let receipts: ReceiptSigner
    let disk: DiskSpeed
    /// Announces a disk that became slow, or is no longer.
    let revisions: StatusRevisions
    let time: any SystemTime
    let logger: Logger

    var routes: [AgentRoute] {
        [
            AgentRoute("POST", AgentRoutes.sales, sell), AgentRoute("POST", AgentRoutes.giveUp, giveUp),
            AgentRoute("POST", AgentRoutes.quotes, quote),
            AgentRoute("GET", AgentRoutes.unseenSales, unseenSales),
            AgentRoute("POST", AgentRoutes.seenSales, unseenSales),
            AgentRoute("GET", AgentRoutes.products, on: .background, product),
            AgentRoute("GET", AgentRoutes.productSearch, on: .background, products),
            AgentRoute("GET", AgentRoutes.departments, on: .background, departments),
        ]
    }

    /// A card sale is noted as seen once the response is delivered: nobody waits for it.
    func delivered(_ response: AgentResponse, to request: AgentRequest) async {
        guard request.path == AgentRoutes.sales, let sold: SaleResponse = try? response.document()
        else { return }
        let sale = sold.sale
        if let key = ULID(sale.key) { frontEnds.noteChanged(key) }
        guard sale.paid.contains(where: { $0.approvalCode != nil }) else { return }
        // What cannot be noted is shown once more.
        try? await checkout.noteSeen(orderId: sale.orderId)
    }

    private func sell(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        let receivedAt = time.now()
        let call = try TerminalError.reading { () throws(RequestRefusal) in
            try SellCall(body: request.body)
        }
        let sale = try TerminalError.reading { () throws(RequestRefusal) in try SaleRequest(call) }
        try await checkCart(of: sale, request)
        do throws(SaleRefusal) {
            let result: SaleResult
            if let returns = call.returns {
                result = try await Exchanges(orders: orders, checkout: checkout).exchange(
                    sale, for: RefundRequest(returns), receivedAt: receivedAt)
            } else {
                result = try await checkout.sell(sale, receivedAt: receivedAt)
            }
            // A repeated request finds its sale: that paper was printed, or waits.
            if !result.isRepeated {
                if disk.note(result.durable) { revisions.advance() }
                if let refund = result.refund { await printing.print(refund) }
                await printing.print(result.sale)
                note(result.sale)
            }
            var response = SaleResponse(
                result, receiptCode: receipts.code(of: result.sale), slip: orders.receipt(of:))
            if result.isRepeated {
                response.repeatedOf = Timestamp.text(milliseconds: result.sale.content.madeAt)
            }
            return AgentResponse(response)
        } catch {
            throw TerminalError(error)
        }
    }

    /// A cart is sold by whoever has it on the screen.
    private func checkCart(of sale: SaleRequest, _ request: AgentRequest) async throws(TerminalError) {
        let frontEnd = try FrontEnd(of: request)
        guard let key = sale.key else { return }
        do throws(CartRefusal) {
            try await carts.checkSale(of: key, by: frontEnd)
        } catch {
            throw TerminalError(error)
        }
    }

    /// The trace of a sale begins here: that of its journal entry, which every push of it names too.
    private func note(_ sale: Sale) {
        guard let entry = ULID(sale.mutationId) else { return }
        logger.info(
            "a sale",
            metadata: [
                "order": "\(sale.orderNumber)", "entry": "\(entry)",
                "trace": "\(RequestTrace.trace(of: entry))",
            ])
    }

    private func giveUp(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        let key = try TerminalError.reading { () throws(RequestRefusal) in
            guard let key = ULID(try GiveUpCall(body: request.body).key) else { throw GiveUpCall.malformed }
            return key
        }
        await checkout.giveUp(key)
        return AgentResponse(GiveUpCall.Response(key: key.description))
    }

    private func unseenSales(
        _ request: AgentRequest, _: [String]
    ) async throws(TerminalError) -> AgentResponse {
        do throws(SaleRefusal) {
            if request.method == "POST", let orderId = UnseenSalesCall(body: request.body).seenOrderId {
                try await checkout.noteSeen(orderId: orderId)
            }
            let sales = try await checkout.unseenCardSales()
            return AgentResponse(UnseenSalesCall.Response(sales: sales.map(UnseenSalesCall.Sale.init)))
        } catch {
            throw TerminalError(error)
        }
    }

    private func quote(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        let basket = try SaleRequest(json: request.body ?? .null)
        do throws(SaleRefusal) {
            return AgentResponse(QuoteResponse(try await carts.quote(basket)))
        } catch {
            throw TerminalError(error)
        }
    }

    private func product(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        let barcode = try TerminalError.reading { () throws(RequestRefusal) in
            try ProductCall(query: request.query).barcode
        }
        let found: [String: Product]
        do throws(CatalogueError) {
            found = try await catalogue.products(barcodes: [barcode])
        } catch {
            throw Self.unreadable(error)
        }
        guard let product = found[barcode] else {
            throw TerminalError(SaleRefusal.unknownBarcode(barcode))
        }
        return AgentResponse(try await described([product])[0])
    }

    private func products(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        let call = try TerminalError.reading { () throws(RequestRefusal) in
            try ProductSearchCall(query: request.query)
        }
        let found: [Product]
        do throws(CatalogueError) {
            found = try await search.products(matching: call.text, limit: Int(call.limit))
        } catch {
            throw Self.unreadable(error)
        }
        return AgentResponse(ProductSearchCall.Response(products: try await described(found)))
    }

    /// With what the store has of each.
    private func described(
        _ products: [Product]
    ) async throws(TerminalError) -> [ProductCall.Response] {
        do throws(CatalogueError) {
            let stock = try await catalogue.stock(of: Set(products.filter(\.isCounted).map(\.sku)))
            return products.map { ProductCall.Response($0, stock[$0.sku]) }
        } catch {
            throw Self.unreadable(error)
        }
    }

    private func departments(
        _: AgentRequest, _: [String]
    ) async throws(TerminalError) -> AgentResponse {
        do throws(CatalogueError) {
            let departments = try await catalogue.departments().map {
                DepartmentRecord(
                    department: $0.name, taxBasisPoints: $0.taxBasisPoints, currency: $0.currency)
            }
            return AgentResponse(DepartmentListCall.Response(departments: departments))
        } catch {
            throw Self.unreadable(error)
        }
    }

    private static func unreadable(_ error: CatalogueError) -> TerminalError {
        TerminalError(.notDurable, code: "store_unavailable") { $0.unreadable(.catalogue, "\(error)") }
    }
}

extension ProductCall.Response {
    fileprivate init(_ product: Product, _ stock: StockLevel?) {
        self.init(
            sku: product.sku, barcode: product.barcode, name: product.name, priceMinor: product.price,
            currency: product.currency,
            stock: stock.map { level in
                ProductCall.Stock(
                    milli: level.milli, countedAt: level.countedAt.map(Timestamp.text(milliseconds:)))
            })
    }
}
