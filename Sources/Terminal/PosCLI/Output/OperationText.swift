internal import AgentAPI
internal import HubProtocol
internal import OfflineCore

/// Services, offline periods and the doctor's checks as text.
enum OperationText {
    static func services(_ response: ServicesCall.Response, _ text: any PosTexts) -> String {
        let rows = response.services.map { service in
            "\(text.word(service.service))  "
                + text.thisTerminal(text.word(service.state.rawValue))
                + " (\(text.word(service.source.rawValue)))  "
                + "QoS: \((service.qos?.state.rawValue).map(text.word) ?? text.noAnswer)"
                + (service.qos?.reason.map { " (\($0.printable))" } ?? "")
        }
        return rows.isEmpty ? text.noServices : rows.joined(separator: "\n")
    }

    static func periods(_ response: HistoryCall.Response, _ text: any PosTexts) -> String {
        let rows = response.periods.map { period in
            return "\(period.start) … \(period.end ?? text.untilNow)  "
                + period.causes.map(text.word).joined(separator: "+") + "  " + text.saleCount(period.sales)
                + "  "
                + "[\(period.evidence.joined(separator: ", "))]"
        }
        return rows.isEmpty ? text.neverOffline : rows.joined(separator: "\n")
    }

    static func doctor(_ response: DoctorCall.Response, _ text: any PosTexts) -> String {
        let rows = response.checks.map { check in
            "\(check.isOk ? text.checkPassed : text.checkFailed)  \(check.name): \(check.detail.printable)"
                + (check.fix.map { "\n      -> \($0.printable)" } ?? "")
        }
        let failed = response.checks.count { !$0.isOk }
        let summary = text.doctorSummary(score: response.score, failed: failed, of: rows.count)
        return (rows + [summary]).joined(separator: "\n")
    }
}
