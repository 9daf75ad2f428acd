internal import AgentAPI
internal import Printing

extension Doctor {
    /// Whether receipts get to paper; nothing to say without a printer.
    func printer() async -> [DoctorCall.Check] {
        guard let service = printing.service else { return [] }
        let status = service.status
        let left = status.jobs.count { $0.state == .interrupted || $0.state == .failed }
        let jobs = left == 0 ? "" : texts.papersWait(left)
        func printer(_ isFine: Bool, _ state: String, separator: String = ": ") -> [DoctorCall.Check] {
            [
                check(
                    "printer", isFine, "\(status.address)" + separator + state + jobs, fix: texts.retryPrinter
                )
            ]
        }
        // A network printer has one connection, and now a receipt has it.
        guard !status.jobs.contains(where: { $0.state == .printing }) else {
            return printer(left == 0, texts.printing, separator: " ")
        }
        switch await service.check() {
        case .success(.out), .failure(.paperOut): return printer(false, texts.paperOut)
        case .success(.low): return printer(left == 0, texts.paperLow)
        case .success(.enough), .success(.unknown):
            return printer(left == 0, texts.printerResponds, separator: " ")
        case .failure(.noResponse(let detail)): return printer(false, detail)
        }
    }
}
