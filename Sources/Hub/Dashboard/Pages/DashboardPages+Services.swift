/// Services, overrides and the log.
extension DashboardPages {
    /// Every service with scopes, evidence and history.
    package func services(_ frame: PageFrame, services: [ServiceSummary]) -> String {
        let wording = frame.wording
        var values: PageValues = ["services": services.map { Self.values(of: $0, frame) }]
        if let form = Self.form(frame, services) { values["form"] = form }
        return rendered("services", frame, title: wording.text("Services", "服务"), values)
    }

    /// What operators decided, and what waits for a second one.
    package func overrides(_ frame: PageFrame, services: [ServiceSummary]) -> String {
        let wording = frame.wording
        let overrides = services.flatMap(\.overrides).map { Self.values(of: $0, frame) }
        var values: PageValues = [
            "overrides": overrides, "hasOverrides": !overrides.isEmpty,
            "waiting": services.compactMap(\.proposal).map { Self.values(of: $0, frame) },
        ]
        if let form = Self.form(frame, services) { values["form"] = form }
        return rendered("overrides", frame, title: wording.text("Overrides", "人工干预"), values)
    }

    /// An entry of the operators' log.
    package struct LogEntry: Sendable {
        /// Milliseconds since 1970.
        let at: Int64
        let texts: [String]

        /// Makes an entry; `outcome` is `done`, `proposed` or `refused`.
        package init(
            at: Int64, name: String, role: String, action: String, subject: String, outcome: String,
            detail: String
        ) {
            self.at = at
            texts = [name, role, action, subject, outcome, detail]
        }
    }

    /// The newest entries of the operators' log.
    ///
    /// - Parameter brokenAt: the first entry of these that does not follow the one before it; nil when all
    ///   do.
    package func log(_ frame: PageFrame, entries: [LogEntry], brokenAt: Int64?) -> String {
        let wording = frame.wording
        var values: PageValues = [
            "heading": wording.text("What operators did", "操作日志"),
            "entries": entries.map { entry -> PageValues in
                let texts = entry.texts
                let tone = ["refused": "bad", "proposed": "warning"][texts[4]] ?? "good"
                return [
                    "at": PageTime(entry.at, wording).values,
                    "who": "\(texts[0]) (\(Texts.role(texts[1], wording)))", "what": texts[2],
                    "subject": texts[3], "outcome": Self.outcome(texts[4], wording), "tone": tone,
                    "detail": texts[5],
                ]
            },
        ]
        if let brokenAt { values["brokenAt"] = brokenAt }
        return rendered("log", frame, title: wording.text("Log", "操作日志"), values)
    }

    private static func outcome(_ outcome: String, _ wording: Wording) -> String {
        switch outcome {
        case "refused": wording.text("refused", "被拒绝")
        case "proposed": wording.text("waits", "待确认")
        case _: wording.text("done", "完成")
        }
    }

    private static func values(of service: ServiceSummary, _ frame: PageFrame) -> PageValues {
        let wording = frame.wording
        var values: PageValues = [
            "key": service.name, "name": wording.service(service.name), "state": service.worst.rawValue,
            "word": wording.state(service.worst), "source": wording.source(service.source),
            "age": wording.text("for ", "已 ") + wording.span(max(0, wording.now - service.since)),
            "plot": ServiceTimeline(service: service, wording: wording).svg,
            "overrides": service.overrides.map { Self.values(of: $0, frame) },
            "waiting": service.proposal.map { [Self.values(of: $0, frame)] } ?? [],
            "hasScopes": !service.scopes.isEmpty, "hasHistory": !service.history.isEmpty,
            "scopes": service.scopes.map { scope -> PageValues in
                [
                    "place": place(scope.scope, scope.subject, wording), "state": scope.state.rawValue,
                    "word": wording.state(scope.state), "since": PageTime(scope.since, wording).values,
                    "reason": scope.reason,
                    "failing": scope.failing.map { terminal -> PageValues in
                        [
                            "storeId": terminal.storeId, "terminalId": terminal.terminalId,
                            "failed": terminal.failed, "all": terminal.all,
                        ]
                    },
                ]
            },
            "history": service.history.map { change -> PageValues in
                [
                    "at": PageTime(change.at, wording).values,
                    "place": place(change.scope, change.subject, wording), "state": change.state.rawValue,
                    "word": wording.state(change.state), "source": wording.source(change.source),
                    "reason": change.reason,
                ]
            },
        ]
        if let reason = service.reason { values["reason"] = reason }
        if let percent = service.failedPercent {
            values["percent"] = wording.text(
                "\(percent) % of requests of the last minute fail", "最近一分钟 \(percent)% 的请求失败")
        }
        return values
    }

    private static func place(_ scope: String, _ subject: String, _ wording: Wording) -> String {
        switch scope {
        case "store": wording.text("store \(subject)", "门店 \(subject)")
        case "terminal": wording.text("terminal \(subject)", "终端 \(subject)")
        case _: wording.text("all stores", "全部门店")
        }
    }

    private static func values(of override: OverrideSummary, _ frame: PageFrame) -> PageValues {
        let wording = frame.wording
        let right: PageFrame.Right = override.storeId == nil ? .overrideChain : .overrideStore
        let isOwn = override.proposal != nil && override.by == frame.person?.name
        var values: PageValues = [
            "key": override.service, "service": wording.service(override.service),
            "place": override.storeId.map { place("store", $0, wording) } ?? place("", "", wording),
            "storeId": override.storeId ?? "", "state": override.state.rawValue,
            "word": wording.state(override.state), "reason": override.reason, "by": override.by,
            "clear": frame.may(right), "own": isOwn,
            "confirm": override.proposal != nil && !isOwn && frame.may(.confirmOverride),
        ]
        if let until = override.until { values["until"] = PageTime(until, wording).values }
        if let waiting = override.proposal {
            values["id"] = waiting.id
            values["expires"] = PageTime(waiting.expiresAt, wording).values
        }
        return values
    }

    private static func form(_ frame: PageFrame, _ services: [ServiceSummary]) -> PageValues? {
        guard frame.may(.overrideStore) else { return nil }
        let wording = frame.wording
        return [
            "names": services.map { ["key": $0.name, "name": wording.service($0.name)] as PageValues },
            "faulty": wording.state(.faulty), "recovering": wording.state(.recovering),
            "healthy": wording.state(.healthy), "chain": frame.may(.overrideChain),
        ]
    }
}
