internal import AgentAPI
internal import Printing

extension Doctor {
    /// Whether receipts get to paper; nothing to say without a printer.
    func printer() async -> [DoctorCall.Check] {
        guard let service = printing.service else { return [] }
        let status = service.status
        let left = status.jobs.count { $0.state == .interrupted || $0.state == .failed }
        let jobs =
            left == 0
            ? "" : "; \(left) papers wait for a person: `pos printer status`, `pos printer retry`"
        let fix = "`pos printer status`, then `pos printer test` and `pos printer retry`"
        // A network printer has one connection, and now a receipt has it.
        guard !status.jobs.contains(where: { $0.state == .printing }) else {
            return [check("printer", left == 0, "\(status.address) is printing" + jobs, fix: fix)]
        }
        switch await service.check() {
        case .success(.out):
            return [check("printer", false, "\(status.address): out of paper" + jobs, fix: fix)]
        case .success(.low):
            return [check("printer", left == 0, "\(status.address): the roll ends soon" + jobs, fix: fix)]
        case .success(.enough), .success(.unknown):
            return [check("printer", left == 0, "\(status.address) responds" + jobs, fix: fix)]
        case .failure(let fault):
            return [check("printer", false, "\(status.address): \(fault.text)" + jobs, fix: fix)]
        }
    }
}
