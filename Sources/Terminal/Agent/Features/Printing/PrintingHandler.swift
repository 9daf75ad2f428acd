internal import AgentAPI
internal import Base
internal import Foundation
internal import HubProtocol
internal import MachineRuntime
internal import Printing
internal import Retail

/// The printer, its spool, and receipts that are made again.
struct PrintingHandler: RequestHandler {
    let printing: PrintingFeature

    var routes: [AgentRoute] {
        let receipt = AgentRoutes.orders + "/{id}/receipt"
        return [
            AgentRoute("GET", AgentRoutes.printer, on: .background, show),
            AgentRoute("POST", AgentRoutes.printer + "/test", test),
            AgentRoute("POST", AgentRoutes.printer + "/retry", retry),
            AgentRoute("GET", receipt, on: .background, self.receipt),
            AgentRoute("POST", receipt, self.receipt),
        ]
    }

    private func show(_: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        AgentResponse(PrinterCall.Response(printing))
    }

    /// Longer than one attempt at a printer that is gone. Halved, a slow one would be called dead; doubled, a
    /// person waits longer for the same message.
    private static let testLimit = Duration.seconds(20)

    private func test(_: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        let service = try service()
        let page = printing.testPage()
        let before = service.status.attempts
        service.submit(opensDrawer: false) { page }
        await service.flush()
        let end = printing.time.now() + Self.testLimit
        while printing.time.now() < end {
            let status = service.status
            guard status.jobs.contains(where: { $0.id == page.id }) else {
                return AgentResponse(
                    PrinterTestCall.Response(jobId: page.id, state: PrinterCall.Response(printing).state)
                )
            }
            if status.attempts > before, case .faulty(let fault) = status.printer {
                throw TerminalError(.refused, code: "printer_not_ready") {
                    $0.printerFaulty("\(status.address)", fault)
                }
            }
            try? await printing.time.sleep(until: printing.time.now() + Self.look)
        }
        throw TerminalError(.refused, code: "printer_not_ready") {
            $0.printerSilent("\(service.status.address)")
        }
    }

    /// Between two looks at the spool. Halved, twice the wake-ups while a person waits; doubled, nobody
    /// notices.
    private static let look = Duration.milliseconds(50)

    private func retry(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        let call = try TerminalError.reading { () throws(RequestRefusal) in
            try PrinterRetryCall(body: request.body)
        }
        let jobs = try service().retry(call.id)
        if let id = call.id, jobs.isEmpty {
            throw TerminalError(.refused, code: "unknown_print_job") { $0.unknownPaper(id) }
        }
        await untilAccepted(Set(jobs.map(\.id)))
        return AgentResponse(PrinterRetryCall.Response(jobs: jobs.map(PrintJobRecord.init)))
    }

    /// A command that ends with its response prints what waits by then.
    private func untilAccepted(_ ids: Set<String>) async {
        let end = printing.time.now() + .seconds(2)
        while printing.time.now() < end,
            printing.service?.status.jobs.contains(where: {
                ids.contains($0.id) && ($0.state == .interrupted || $0.state == .failed)
            }) == true
        {
            try? await printing.time.sleep(until: printing.time.now() + Self.look)
        }
    }

    private func receipt(_ request: AgentRequest, _ path: [String]) async throws(TerminalError)
        -> AgentResponse
    {
        let call = ReceiptCall(id: path[0], request)
        let order: Order
        do throws(OrderRefusal) {
            order = try await printing.orders.show(call.id)
        } catch {
            throw TerminalError(error)
        }
        var jobId: String?
        if call.isPrinted {
            let copy = await printing.copy(of: order.sale)
            let service = try service()
            service.submit(opensDrawer: false) { copy }
            await service.flush()
            jobId = copy.id
        }
        let bytes = printing.bytes(of: order.sale, isCopy: call.isCopy)
        return AgentResponse(
            ReceiptCall.Response(
                orderId: order.sale.orderId, orderNumber: "\(order.sale.orderNumber)", isCopy: call.isCopy,
                receipt: printing.orders.receipt(of: order, isCopy: call.isCopy),
                escpos: Data(bytes).base64EncodedString(), jobId: jobId
            ))
    }

    private func service() throws(TerminalError) -> PrinterService {
        guard let service = printing.service else {
            throw TerminalError(.refused, code: "no_printer") { $0.noPrinter }
        }
        return service
    }
}

extension PrinterCall.Response {
    init(_ printing: PrintingFeature) {
        let status = printing.service?.status
        let (state, detail) = Self.texts(status)
        self.init(
            device: status?.address.description, width: Int64(printing.paper.rawValue),
            language: printing.language.rawValue, state: state, detail: detail,
            jobs: (status?.jobs ?? []).map(PrintJobRecord.init), damaged: Int64(status?.damaged ?? 0))
    }

    private static func texts(_ status: PrinterStatus?) -> (state: State, detail: String?) {
        guard let status else { return (.none, nil) }
        return switch status.printer {
        case .untried: (.untried, nil)
        case .ready(.enough), .ready(.unknown): (.ready, nil)
        case .ready(.low): (.paperLow, "the roll ends soon")
        case .ready(.out): (.paperOut, "the roll ended with the last paper")
        case .faulty(.paperOut): (.paperOut, "out of paper")
        case .faulty(.noResponse(let detail)): (.noResponse, detail)
        }
    }
}

extension PrintJobRecord {
    init(_ job: PrintJob) {
        self.init(
            id: job.id, kind: Kind(job.kind), title: job.title, orderId: job.orderId,
            createdAt: Timestamp.text(milliseconds: job.createdAt), state: State(job.state),
            isCopy: job.isCopy)
    }
}

extension PrintJobRecord.Kind {
    fileprivate init(_ kind: PrintJob.Kind) {
        self =
            switch kind {
            case .receipt: .receipt
            case .refund: .refund
            case .void: .void
            case .shift: .shift
            case .test: .test
            }
    }
}

extension PrintJobRecord.State {
    fileprivate init(_ state: PrintJob.State) {
        self =
            switch state {
            case .waiting: .waiting
            case .printing: .printing
            case .interrupted: .interrupted
            case .failed: .failed
            }
    }
}
