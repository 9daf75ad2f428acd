internal import AgentAPI
internal import HubProtocol
internal import OfflineCore

/// Services, offline periods and the doctor's checks as text.
enum OperationText {
    static func services(_ response: ServicesCall.Response, _ text: any PosTexts) -> String {
        let rows = response.services.map { service in
            let (name, source) = (text.word(service.service), text.word(service.source.rawValue))
            let here = text.thisTerminal(text.word(service.state.rawValue))
            let decision = (service.qos?.state.rawValue).map { text.word($0) } ?? text.noAnswer
            let reason = service.qos?.reason.map { " (\($0.printable))" } ?? ""
            return "\(name)  \(here) (\(source))  QoS: \(decision)\(reason)"
        }
        return rows.isEmpty ? text.noServices : rows.joined(separator: "\n")
    }

    static func periods(_ response: HistoryCall.Response, _ text: any PosTexts) -> String {
        let rows = response.periods.map { period in
            let causes = period.causes.map { text.word($0) }.joined(separator: "+")
            let (end, sales) = (period.end ?? text.untilNow, text.saleCount(period.sales))
            let evidence = period.evidence.joined(separator: ", ")
            return "\(period.start) … \(end)  \(causes)  \(sales)  [\(evidence)]"
        }
        return rows.isEmpty ? text.neverOffline : rows.joined(separator: "\n")
    }

    static func doctor(_ response: DoctorCall.Response, _ text: any PosTexts) -> String {
        let rows = response.checks.map { check in
            let passed = check.isWarning ? text.checkWarned : text.checkPassed
            return "\(check.isOk ? passed : text.checkFailed)  \(check.name): \(check.detail.printable)"
                + (check.fix.map { "\n      -> \($0.printable)" } ?? "")
        }
        let failed = response.checks.count { !$0.isOk }
        let summary = text.doctorSummary(score: response.score, failed: failed, of: rows.count)
        return (rows + [summary]).joined(separator: "\n")
    }
}
