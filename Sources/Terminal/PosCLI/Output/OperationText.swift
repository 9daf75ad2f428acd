internal import AgentAPI
internal import HubProtocol

/// Services, offline periods and the doctor's checks as text.
enum OperationText {
    static func services(_ response: ServicesCall.Response) -> String {
        let rows = response.services.map { service in
            "\(service.service)  this terminal: \(service.state) (\(service.source))  "
                + "QoS: \(service.qos?.state ?? "no answer")"
                + (service.qos?.reason.map { " (\($0.printable))" } ?? "")
        }
        return rows.isEmpty ? "no services known" : rows.joined(separator: "\n")
    }

    static func periods(_ response: HistoryCall.Response) -> String {
        let rows = response.periods.map { period in
            "\(period.start) … \(period.end ?? "still")  \(period.causes.joined(separator: "+"))  "
                + "\(period.sales == 1 ? "1 sale" : "\(period.sales) sales")  "
                + "[\(period.evidence.joined(separator: ", "))]"
        }
        return rows.isEmpty ? "never offline so far" : rows.joined(separator: "\n")
    }

    static func doctor(_ response: DoctorCall.Response) -> String {
        let rows = response.checks.map { check in
            "\(check.isOk ? "ok  " : "FAIL")  \(check.name): \(check.detail.printable)"
                + (check.fix.map { "\n      -> \($0.printable)" } ?? "")
        }
        let failed = response.checks.count { !$0.isOk }
        let summary = failed == 0 ? "ready for an outage" : "\(failed) of \(rows.count) checks need somebody"
        return (rows + ["score \(response.score) of 100: \(summary)"]).joined(separator: "\n")
    }
}
