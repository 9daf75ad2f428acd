import Base

internal import AgentAPI
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import TerminalStore
internal import MachineRuntime

/// Answers the agent's requests from the running parts.
struct AgentHandler: AgentHandling {
    let parts: AgentParts
    /// False for a reader of the disk, where nothing runs.
    var isRunning = true
    /// Whether a command runs it that found no agent: it ends with that command.
    var isOfCommand = false

    func handle(_ request: AgentRequest) async -> AgentAnswer {
        do throws(TerminalError) {
            return try await answer(request)
        } catch {
            return AgentAnswer(error)
        }
    }

    private func answer(_ request: AgentRequest) async throws(TerminalError) -> AgentAnswer {
        switch (request.method, request.path) {
        case ("GET", AgentRoutes.ping):
            return AgentAnswer(
                PingCall.Response(version: TerminalVersion.current, isOfCommand: isOfCommand).json)
        case ("GET", AgentRoutes.status): return AgentAnswer(try await status().json)
        case ("GET", AgentRoutes.statusStream):
            return try await nextStatus(NextStatusCall(query: request.query))
        case ("POST", AgentRoutes.sales): return try await sell(request)
        case ("POST", AgentRoutes.giveUp): return try await giveUp(request)
        case ("POST", AgentRoutes.quotes): return try await quote(request)
        case ("GET", AgentRoutes.unseenSales), ("POST", AgentRoutes.seenSales):
            return try await unseenSales(request)
        case ("GET", AgentRoutes.products): return try await product(request)
        case ("POST", AgentRoutes.manual): return try await setManual(request)
        case ("POST", AgentRoutes.retry): return retry()
        case ("GET", AgentRoutes.sync):
            return AgentAnswer(try await OutboxView(parts: parts, isRunning: isRunning).document().json)
        case ("POST", AgentRoutes.syncNow): return try await OutboxView(parts: parts).syncNow()
        case ("GET", AgentRoutes.qos): return AgentAnswer(await ServicesView(parts: parts).document().json)
        case ("GET", AgentRoutes.history):
            return AgentAnswer(try await HistoryCall.Response(parts.periods).json)
        case ("GET", AgentRoutes.doctor): return AgentAnswer(await Doctor(parts: parts).examine().json)
        case ("POST", AgentRoutes.syncExport):
            let call = try TerminalError.reading { () throws(RequestRefusal) in
                try ExportCall(body: request.body)
            }
            return AgentAnswer(
                try await JournalExportRequest.write(parts, to: call.file, call.plainReason).json)
        case (_, _) where SignInView.answers(request):
            return try await SignInView(parts: parts, request: request).answer()
        case (_, _) where RefusalsView.answers(request):
            return try await RefusalsView(parts: parts, request: request).answer()
        case (_, _) where NotesView.answers(request):
            return try await NotesView(parts: parts, request: request).answer()
        default: return try await OrdersView(parts: parts, paths: request).answer()
        }
    }

    private func status() async throws(TerminalError) -> StatusResponse {
        let store = await StoreCondition.read(parts, isRunning: isRunning)
        var depth: OutboxDepth?
        do throws(TerminalError) {
            if store.damage == nil { depth = try await OutboxView.depth(parts.outbox) }
        } catch {
            // Of a damaged database everything else is still known.
            guard parts.database.damage != nil else { throw error }
        }
        let status = parts.offline.status
        return StatusDocument(
            status: status, depth: depth, retryAfterEnds: await parts.drainer.retryAfterEnds,
            losesLargePackets: await parts.drainer.losesLargePackets,
            identity: parts.enrolment, schema: parts.schema.word,
            tuning: parts.tuning,
            policy: parts.permissions.policy(of: status), pull: parts.feed.record,
            leap: (try? await parts.facts.orderNumberLeap()) ?? nil, store: store,
            stop: await drainStop(), hubAhead: parts.hubClock.ahead,
            isDiskFull: !parts.database.hasRoomForSale,
            isSignInRequired: await isSignInRequired(),
            unseenCardSales: (try? await parts.checkout.unseenCardSales().count) ?? 0,
            wall: parts.offline.wallMilliseconds(of:),
            now: parts.time.now(), wallNow: parts.time.wallMilliseconds()
        ).response
    }

    private func isSignInRequired() async -> Bool {
        guard parts.copy.hasCashiers else { return false }
        return ((try? await parts.authority.signedIn()) ?? nil) == nil
    }

    private func drainStop() async -> DrainStop? {
        guard isRunning, case .stopped(let stop) = await parts.drainer.status else { return nil }
        return stop
    }

    /// The status once it is another than the one of revision `after`, or as it is after 25 s.
    private func nextStatus(_ call: NextStatusCall) async throws(TerminalError) -> AgentAnswer {
        await parts.revisions.wait(after: call.after, limit: .seconds(25))
        let revision = parts.revisions.current
        return AgentAnswer(NextStatusCall.Response(revision: revision, status: try await status()).json)
    }

    private func sell(_ request: AgentRequest) async throws(TerminalError) -> AgentAnswer {
        let receivedAt = parts.time.now()
        let sale = try SaleRequest(json: request.body ?? .null)
        do throws(SaleRefusal) {
            return AgentAnswer(
                SaleResponse(try await parts.checkout.sell(sale, receivedAt: receivedAt)).json)
        } catch {
            throw TerminalError(error)
        }
    }

    /// A card sale is noted as seen once its answer is delivered.
    func delivered(_ answer: AgentAnswer, to request: AgentRequest) async {
        guard request.path == AgentRoutes.sales, answer.error == nil,
            let sale = try? SaleResponse(json: answer.body).sale,
            sale.paid.contains(where: { $0.approvalCode != nil })
        else { return }
        // What cannot be noted is shown once more.
        try? await parts.checkout.noteSeen(orderId: sale.orderId)
    }

    private func giveUp(_ request: AgentRequest) async throws(TerminalError) -> AgentAnswer {
        let key = try TerminalError.reading { () throws(RequestRefusal) in
            guard let key = ULID(try GiveUpCall(body: request.body).key) else { throw GiveUpCall.malformed }
            return key
        }
        await parts.checkout.giveUp(key)
        return AgentAnswer(GiveUpCall.Response(key: key.description).json)
    }

    private func unseenSales(_ request: AgentRequest) async throws(TerminalError) -> AgentAnswer {
        do throws(SaleRefusal) {
            if request.method == "POST", let orderId = UnseenSalesCall(body: request.body).seenOrderId {
                try await parts.checkout.noteSeen(orderId: orderId)
            }
            let sales = try await parts.checkout.unseenCardSales()
            return AgentAnswer(UnseenSalesCall.Response(sales: sales.map(UnseenSalesCall.Sale.init)).json)
        } catch {
            throw TerminalError(error)
        }
    }

    private func quote(_ request: AgentRequest) async throws(TerminalError) -> AgentAnswer {
        let basket = try SaleRequest(json: request.body ?? .null)
        do throws(SaleRefusal) {
            return AgentAnswer(QuoteResponse(try await parts.checkout.quote(basket)).json)
        } catch {
            throw TerminalError(error)
        }
    }

    private func product(_ request: AgentRequest) async throws(TerminalError) -> AgentAnswer {
        let barcode = try TerminalError.reading { () throws(RequestRefusal) in
            try ProductCall(query: request.query).barcode
        }
        let found: [String: Product]
        do throws(CatalogueError) {
            found = try await parts.catalogue.products(barcodes: [barcode])
        } catch {
            throw TerminalError(
                .notDurable, code: "store_unavailable", "the catalogue cannot be read: \(error)")
        }
        guard let product = found[barcode] else {
            throw TerminalError(SaleRefusal.unknownBarcode(barcode))
        }
        return AgentAnswer(
            ProductCall.Response(
                sku: product.sku, barcode: product.barcode, name: product.name, priceMinor: product.price,
                currency: product.currency
            ).json)
    }

    private func setManual(_ request: AgentRequest) async throws(TerminalError) -> AgentAnswer {
        let call = try TerminalError.reading { () throws(RequestRefusal) in
            try SetManualCall(body: request.body)
        }
        let person = try await parts.authorize(call.person, [.manualOffline])
        do throws(ManualSwitchError) {
            let status = try await parts.offline.setManual(
                on: call.isOn, by: person.cashierId ?? call.by, reason: call.reason)
            return AgentAnswer(ManualState(status).json)
        } catch {
            throw TerminalError(error)
        }
    }

    private func retry() -> AgentAnswer {
        parts.offline.retryNow()
        parts.drainer.nudge()
        return AgentAnswer(RetryCall.Response().json)
    }
}
