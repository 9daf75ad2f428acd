internal import Agent
internal import AgentAPI
internal import Foundation

/// Printer, spool and receipts as text.
enum PrinterText {
    static func status(_ status: PrinterCall.Response, _ text: CheckoutText) -> String {
        guard let device = status.device else {
            return text(
                "no printer is configured; set printer.device in terminal.json",
                "未配置打印机；请在 terminal.json 中设置 printer.device")
        }
        var head = "\(device), \(status.width) mm, \(status.language): \(status.state)"
        if let detail = status.detail { head += " (\(detail))" }
        if status.damaged > 0 {
            head += text("; \(status.damaged) damaged files in the spool", "；打印队列中有 \(status.damaged) 个损坏文件")
        }
        let jobs = status.jobs.map { job in
            "  \(job.state)  \(job.kind)  \(job.title)  \(job.createdAt)  \(job.id)"
                + (job.isCopy ? text("  copy", "  副本") : "")
        }
        return ([head] + (jobs.isEmpty ? [text("nothing waits", "没有待打印的内容")] : jobs)).joined(separator: "\n")
    }

    static func retried(_ response: PrinterRetryCall.Response, _ text: CheckoutText) -> String {
        response.jobs.isEmpty
            ? text("no paper waits for a person", "没有等待处理的小票")
            : response.jobs.map { text("printing ", "正在打印 ") + "\($0.kind) \($0.title) \($0.id)" }
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
            throw TerminalError(
                .unusable, code: "malformed_response", "the agent's receipt is not base64; restart the agent")
        }
        do {
            try bytes.write(to: URL(fileURLWithPath: path))
        } catch {
            throw TerminalError(
                .unusable, code: "file_unwritable", "\(path) cannot be written: \(error.localizedDescription)"
            )
        }
    }
}
