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
        response.checks.map { "\($0.isOk ? "ok  " : "FAIL")  \($0.name): \($0.detail.printable)" }
            .joined(separator: "\n")
    }
}
