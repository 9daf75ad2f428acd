internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import TerminalStore

/// What is said of a terminal whose database cannot be opened: no agent runs, and people still have to see
/// which mode it is in, what is wrong and what helps. Changes nothing.
struct DamagedHome: AgentConnection {
    let home: TerminalHome
    let configuration: TerminalConfiguration
    /// Why the database was not opened.
    let error: TerminalError

    func call(_ request: AgentRequest) async throws(TerminalError) -> AgentAnswer {
        switch (request.method, request.path) {
        case ("GET", AgentRoutes.ping): AgentAnswer(["version": .string(TerminalVersion.current)])
        case ("GET", AgentRoutes.status): AgentAnswer(status)
        case ("GET", AgentRoutes.doctor):
            AgentAnswer([
                "ready": false,
                "checks": [["name": "store", "ok": false, "detail": .string(error.message)]],
            ])
        case (_, _): AgentAnswer(error)
        }
    }

    func watchStatus() -> AsyncStream<JSONValue> {
        AsyncStream { continuation in
            continuation.yield(status)
            continuation.finish()
        }
    }

    func close() async {}

    /// As an agent that starts now would begin: the manual flag and the network's state of the last run lie
    /// outside the database.
    private var status: JSONValue {
        let run = LastRunFile(home: home).load()
        let manual = manual
        let isDown = run?.networkIsDown ?? false
        let causes = (manual["on"] == true ? ["manual"] : []) + (isDown ? ["network"] : [])
        let report = TerminalDatabase.salvageReport(home: home.path)
        return [
            "mode": .string(causes.isEmpty ? "online" : "offline"), "since": manual["since"] ?? .null,
            "causes": .array(causes.map(JSONValue.string)), "manual": manual,
            "network": [
                "state": .string(isDown ? "unreachable" : "suspect"), "since": .null,
                "evidence": [.string(isDown ? "lastRun" : "starting")], "deadlineInMs": .null,
            ],
            "services": [], "connectivity": connectivity(run), "capabilities": [:],
            "outbox": [
                "pending": .integer(Int64(report.pending)), "oldestAgeMs": .null,
                "rejected": .integer(Int64(report.refused)), "conflicted": 0, "acknowledgedThrough": .null,
                "retryAfterEndsAt": .null,
            ],
            "store": StoreCondition(damage: error.message).json, "banner": banner(report),
            "hub": .string(configuration.hubURL), "terminalId": JSONValue(report.terminalId),
            "storeId": .null, "version": .string(TerminalVersion.current),
        ]
    }

    private var manual: JSONValue {
        switch ManualFlagFile(home: home.path).load() {
        case .absent: ["on": false, "since": .null, "by": .null, "reason": .null]
        case .corrupt: ["on": true, "since": .null, "by": .null, "reason": "flag_corrupt"]
        case .set(let flag):
            [
                "on": true, "since": .string(Timestamp.text(milliseconds: flag.since)),
                "by": JSONValue(flag.by), "reason": JSONValue(flag.reason),
            ]
        }
    }

    private func connectivity(_ run: LastRunOnDisk?) -> JSONValue {
        [
            "state": "localNetworkOnly", "transport": "unknown", "isMetered": false, "isConstrained": false,
            "latencyMs": .null, "captivePortalSuspected": false, "reason": "none",
            "lastInternetOkAt": JSONValue(run?.lastInternetOk.map(Timestamp.text(milliseconds:))),
            "lastBackendOkAt": JSONValue(run?.lastBackendOk.map(Timestamp.text(milliseconds:))),
        ]
    }

    private func banner(_ report: SalvageReport) -> JSONValue {
        var texts: JSONObject = [:]
        for language in BannerLanguage.allCases {
            let words = BannerTexts(language: language, pending: report.pending, lastGood: nil, waitEnds: nil)
            texts[language.rawValue] = .string(words.stopped(by: .databaseDamaged, action: .repair))
        }
        return [
            "troubles": [.string(Banner.Trouble.databaseDamaged.word)], "text": .object(texts),
            "action": .string(Banner.Action.repair.rawValue),
            "command": .string(StoreCondition.repairCommand),
            "language": JSONValue(configuration.language?.rawValue),
        ]
    }
}
