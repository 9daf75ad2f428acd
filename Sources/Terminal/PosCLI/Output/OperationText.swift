internal import AgentAPI
internal import HubProtocol

/// Services, offline periods and the doctor's checks as text.
enum OperationText {
    static func services(_ response: ServicesCall.Response, _ text: CheckoutText) -> String {
        let rows = response.services.map { service in
            "\(service.service)  " + text("this terminal: ", "本机：") + "\(service.state) (\(service.source))  "
                + "QoS: \(service.qos?.state ?? text("no answer", "无应答"))"
                + (service.qos?.reason.map { " (\($0.printable))" } ?? "")
        }
        return rows.isEmpty ? text("no services known", "没有已知服务") : rows.joined(separator: "\n")
    }

    static func periods(_ response: HistoryCall.Response, _ text: CheckoutText) -> String {
        let rows = response.periods.map { period in
            let sales = period.sales == 1 ? "1 sale" : "\(period.sales) sales"
            return "\(period.start) … \(period.end ?? text("still", "至今"))  "
                + period.causes.joined(separator: "+") + "  " + text(sales, "\(period.sales) 笔") + "  "
                + "[\(period.evidence.joined(separator: ", "))]"
        }
        return rows.isEmpty ? text("never offline so far", "从未离线") : rows.joined(separator: "\n")
    }

    static func doctor(_ response: DoctorCall.Response, _ text: CheckoutText) -> String {
        let rows = response.checks.map { check in
            "\(check.isOk ? text("ok  ", "正常") : text("FAIL", "异常"))  \(check.name): \(check.detail.printable)"
                + (check.fix.map { "\n      -> \($0.printable)" } ?? "")
        }
        let failed = response.checks.count { !$0.isOk }
        let summary =
            failed == 0
            ? text("ready for an outage", "可应对断网")
            : text("\(failed) of \(rows.count) checks need somebody", "\(rows.count) 项检查中有 \(failed) 项需处理")
        let score = text("score \(response.score) of 100: ", "得分 \(response.score)/100：")
        return (rows + [score + summary]).joined(separator: "\n")
    }
}
