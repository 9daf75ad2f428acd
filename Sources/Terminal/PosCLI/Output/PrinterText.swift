internal import Agent
internal import AgentAPI
internal import Foundation

/// Printer, spool and receipts as text.
enum PrinterText {
    static func status(_ status: PrinterCall.Response, _ text: any PosTexts) -> String {
        guard let device = status.device else {
            return text.noPrinter
        }
        var head = "\(device), \(status.width) mm, \(status.language): \(text.word(status.state.rawValue))"
        if let detail = status.detail { head += " (\(detail))" }
        if status.damaged > 0 {
            head += text.damagedFiles(status.damaged)
        }
        let jobs = status.jobs.map { job in
            let (state, kind) = (text.word(job.state.rawValue), text.word(job.kind.rawValue))
            let copy = job.isCopy ? "  " + text.copy : ""
            return "  \(state)  \(kind)  \(job.title)  \(job.createdAt)  \(job.id)\(copy)"
        }
        return ([head] + (jobs.isEmpty ? [text.nothingToPrint] : jobs)).joined(separator: "\n")
    }

    static func retried(_ response: PrinterRetryCall.Response, _ text: any PosTexts) -> String {
        response.jobs.isEmpty
            ? text.noPaperWaits
            : response.jobs.map { text.printing("\(text.word($0.kind.rawValue)) \($0.title) \($0.id)") }
                .joined(separator: "\n")
    }

    static func receipt(_ response: ReceiptCall.Response) -> String {
        var text = response.receipt
        while text.hasSuffix("\n") { text.removeLast() }
        return text
    }

    /// - Throws: kind `unusable` for a file that cannot be written.
    static func write(_ response: ReceiptCall.Response, to path: String) throws(TerminalError) {
        guard let bytes = Data(base64Encoded: response.escpos) else {
            throw TerminalError(.unusable, code: "malformed_response") { $0.receiptMalformed }
        }
        do {
            try bytes.write(to: URL(fileURLWithPath: path))
        } catch {
            throw TerminalError(.unusable, code: "file_unwritable") {
                $0.fileUnwritable(path, error.localizedDescription)
            }
        }
    }
}
