internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import TerminalStore

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
            return AgentAnswer([
                "version": .string(TerminalVersion.current), "ofCommand": .bool(isOfCommand),
            ])
        case ("GET", AgentRoutes.status): return AgentAnswer(try await status())
        case ("GET", AgentRoutes.statusStream): return try await nextStatus(after: request.query["after"])
        case ("POST", AgentRoutes.sales): return try await sell(request)
        case ("POST", AgentRoutes.giveUp): return try await giveUp(request)
        case ("POST", AgentRoutes.quotes): return try await quote(request)
        case ("GET", AgentRoutes.unseenSales), ("POST", AgentRoutes.seenSales):
            return try await unseenSales(request)
        case ("GET", AgentRoutes.products): return try await product(request.query["barcode"])
        case ("POST", AgentRoutes.manual): return try await setManual(request)
        case ("POST", AgentRoutes.retry): return retry()
        case ("GET", AgentRoutes.sync):
            return AgentAnswer(try await OutboxView(parts: parts, isRunning: isRunning).document())
        case ("POST", AgentRoutes.syncNow): return try await OutboxView(parts: parts).syncNow()
        case ("GET", AgentRoutes.qos): return AgentAnswer(await ServicesView(parts: parts).document())
        case ("GET", AgentRoutes.history):
            return AgentAnswer(try await HistoryDocument.read(parts.periods))
        case ("GET", AgentRoutes.doctor): return AgentAnswer(await Doctor(parts: parts).examine())
        case ("POST", AgentRoutes.syncExport):
            guard let file = request.body?["file"]?.string, file.hasPrefix("/") else {
                throw RequestFields.malformed("file", "an absolute path")
            }
            return AgentAnswer(
                try await JournalExportRequest.write(
                    parts, to: file, request.body?["plainReason"]?.string))
        case (_, _) where SignInView.answers(request):
            return try await SignInView(parts: parts, request: request).answer()
        case (_, _) where RefusalsView.answers(request):
            return try await RefusalsView(parts: parts, request: request).answer()
        case (_, _) where NotesView.answers(request):
            return try await NotesView(parts: parts, request: request).answer()
        default: return try await OrdersView(parts: parts, paths: request).answer()
        }
    }

    private func status() async throws(TerminalError) -> JSONValue {
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
        ).json
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
    private func nextStatus(after: String?) async throws(TerminalError) -> AgentAnswer {
        let seen = after.flatMap { Int64($0) } ?? 0
        await parts.revisions.wait(after: seen, limit: .seconds(25))
        let revision = parts.revisions.current
        return AgentAnswer(["revision": .integer(revision), "status": try await status()])
    }

    private func sell(_ request: AgentRequest) async throws(TerminalError) -> AgentAnswer {
        let receivedAt = parts.time.now()
        let sale = try SaleRequest(json: request.body ?? .null)
        do throws(SaleRefusal) {
            return AgentAnswer(
                SaleDocument.answer(try await parts.checkout.sell(sale, receivedAt: receivedAt)))
        } catch {
            throw TerminalError(error)
        }
    }

    /// A card sale is noted as seen once its answer is delivered.
    func delivered(_ answer: AgentAnswer, to request: AgentRequest) async {
        guard request.path == AgentRoutes.sales, answer.error == nil,
            let orderId = answer.body["orderId"]?.string,
            answer.body["paid"]?.array?.contains(where: { $0["approvalCode"] != nil }) == true
        else { return }
        // What cannot be noted is shown once more.
        try? await parts.checkout.noteSeen(orderId: orderId)
    }

    private func giveUp(_ request: AgentRequest) async throws(TerminalError) -> AgentAnswer {
        guard let key = request.body?["key"]?.string.flatMap({ ULID($0) }) else {
            throw RequestFields.malformed("key", "the ULID of a sale")
        }
        await parts.checkout.giveUp(key)
        return AgentAnswer(["key": .string(key.description)])
    }

    private func unseenSales(_ request: AgentRequest) async throws(TerminalError) -> AgentAnswer {
        do throws(SaleRefusal) {
            if request.method == "POST", let orderId = request.body?["orderId"]?.string {
                try await parts.checkout.noteSeen(orderId: orderId)
            }
            let sales = try await parts.checkout.unseenCardSales()
            return AgentAnswer(["sales": .array(sales.map { SaleDocument.brief($0) })])
        } catch {
            throw TerminalError(error)
        }
    }

    private func quote(_ request: AgentRequest) async throws(TerminalError) -> AgentAnswer {
        let basket = try SaleRequest(json: request.body ?? .null)
        do throws(SaleRefusal) {
            return AgentAnswer(SaleDocument.quote(try await parts.checkout.quote(basket)))
        } catch {
            throw TerminalError(error)
        }
    }

    private func product(_ barcode: String?) async throws(TerminalError) -> AgentAnswer {
        guard let barcode else { throw RequestFields.malformed("barcode", "given") }
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
            [
                "sku": .string(product.sku), "barcode": .string(product.barcode),
                "name": .string(product.name), "priceMinor": .integer(product.price),
                "currency": .string(product.currency),
            ])
    }

    private func setManual(_ request: AgentRequest) async throws(TerminalError) -> AgentAnswer {
        guard let isOn = request.body?["on"]?.bool else {
            throw TerminalError(.usage, code: "malformed_request", "`on` must be true or false")
        }
        let person = try await parts.authorize(request.body, [.manualOffline])
        do throws(ManualSwitchError) {
            let status = try await parts.offline.setManual(
                on: isOn, by: person.cashierId ?? request.body?["by"]?.string,
                reason: request.body?["reason"]?.string)
            return AgentAnswer(StatusDocument.manual(status))
        } catch {
            throw TerminalError(error)
        }
    }

    private func retry() -> AgentAnswer {
        parts.offline.retryNow()
        parts.drainer.nudge()
        return AgentAnswer(["retrying": true])
    }
}
