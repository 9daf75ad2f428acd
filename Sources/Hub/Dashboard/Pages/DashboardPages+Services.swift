package import HubProtocol

/// Services, overrides and the log.
extension DashboardPages {
    /// Every service with scopes, evidence and history.
    ///
    /// - Parameter unknown: when nothing was known of them, in milliseconds since 1970.
    package func services(
        _ frame: PageFrame, services: [ServiceSummary], unknown: [ClosedRange<Int64>] = []
    ) -> String {
        let wording = frame.wording
        var values: PageValues = ["services": services.map { Self.values(of: $0, frame, unknown) }]
        if let form = Self.form(frame, services) { values["form"] = form }
        return rendered("services", frame, title: wording.texts.page(.services), values)
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
        return rendered("overrides", frame, title: wording.texts.page(.overrides), values)
    }

    /// What a person gets in the place of a page: the notice of the frame says why.
    package func refused(_ frame: PageFrame, _ problem: Problem) -> String {
        let title = frame.texts.title(of: problem)
        return rendered("refusal-notice", frame, title: title, ["heading": title])
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
            "heading": wording.texts.service(.operatorsDid),
            "entries": entries.map { entry -> PageValues in
                let texts = entry.texts
                let tone = ["refused": "bad", "proposed": "warning"][texts[4]] ?? "good"
                return [
                    "at": PageTime(entry.at, wording).values,
                    "who": wording.text(texts[0], aside: wording.role(texts[1])),
                    "what": wording.act(texts[2]),
                    "subject": texts[3], "outcome": Self.outcome(texts[4], wording), "tone": tone,
                    "detail": texts[5], "shownDetail": wording.localised(texts[5]),
                ]
            },
        ]
        if let brokenAt { values["brokenAt"] = brokenAt }
        return rendered("log", frame, title: wording.texts.page(.log), values)
    }

    private static func outcome(_ outcome: String, _ wording: Wording) -> String {
        switch outcome {
        case "refused": wording.texts.service(.outcomeRefused)
        case "proposed": wording.texts.service(.outcomeProposed)
        case _: wording.texts.service(.outcomeDone)
        }
    }

    private static func values(
        of service: ServiceSummary, _ frame: PageFrame, _ unknown: [ClosedRange<Int64>]
    ) -> PageValues {
        let wording = frame.wording
        var values: PageValues = [
            "key": service.name, "name": wording.texts.name(ofService: service.name),
            "state": service.worst.rawValue,
            "word": wording.texts.state(service.worst), "source": wording.source(service.source),
            "age": wording.texts.lasting(wording.age(since: service.since), failing: nil),
            "plot": ServiceTimeline(service: service, wording: wording, unknown: unknown).svg,
            "overrides": service.overrides.map { Self.values(of: $0, frame) },
            "waiting": service.proposal.map { [Self.values(of: $0, frame)] } ?? [],
            "hasScopes": !service.scopes.isEmpty, "hasHistory": !service.history.isEmpty,
            "scopes": service.scopes.map { scope -> PageValues in
                [
                    "place": place(scope.scope, scope.subject, wording), "state": scope.state.rawValue,
                    "word": wording.texts.state(scope.state), "since": PageTime(scope.since, wording).values,
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
                    "word": wording.texts.state(change.state), "source": wording.source(change.source),
                    "reason": change.reason,
                ]
            },
        ]
        if let reason = service.reason { values["reason"] = reason }
        if let percent = service.failedPercent {
            values["percent"] = wording.texts.failed(percent: percent)
        }
        return values
    }

    private static func place(_ scope: String, _ subject: String, _ wording: Wording) -> String {
        switch scope {
        case "store": wording.texts.store(wording.store(subject))
        case "terminal": wording.texts.terminal(wording.terminal(subject))
        case _: wording.texts.service(.chain)
        }
    }

    private static func values(of override: OverrideSummary, _ frame: PageFrame) -> PageValues {
        let wording = frame.wording
        let right: PageFrame.Right = override.storeId == nil ? .overrideChain : .overrideStore
        let isOwn = override.proposal != nil && override.by == frame.person?.name
        var values: PageValues = [
            "key": override.service, "service": wording.texts.name(ofService: override.service),
            "place": override.storeId.map { place("store", $0, wording) } ?? place("", "", wording),
            "storeId": override.storeId ?? "", "state": override.state.rawValue,
            "word": wording.texts.state(override.state), "reason": override.reason, "by": override.by,
            "clear": frame.may(right), "own": isOwn, "mark": override.mark,
            "confirm": override.proposal != nil && !isOwn && frame.may(.confirmOverride),
        ]
        values["sentence"] = sentence(of: override, wording)
        if let until = override.until { values["until"] = PageTime(until, wording).values }
        if let waiting = override.proposal {
            values["id"] = waiting.id
            values["expires"] = PageTime(waiting.expiresAt, wording).values
        }
        return values
    }

    /// What an override does to whom until when, in words.
    private static func sentence(of override: OverrideSummary, _ wording: Wording) -> String {
        wording.texts.wanted(
            wording.texts.name(ofService: override.service), wording.texts.state(override.state),
            override.storeId.map { place("store", $0, wording) } ?? place("", "", wording),
            until: override.until.map { wording.text(wording.clock($0), aside: wording.zone.name) })
    }

    /// What a person is about to set, in words, before it is set.
    ///
    /// - Parameters:
    ///   - present: the override that it takes the place of.
    ///   - isKnown: whether a terminal is of the store.
    package func confirmation(
        _ frame: PageFrame, of override: OverrideSummary, insteadOf present: OverrideSummary?, isKnown: Bool
    ) -> String {
        let wording = frame.wording
        let fields = [
            ("service", override.service), ("state", override.state.rawValue),
            ("storeId", override.storeId ?? ""), ("reason", override.reason),
            ("until", override.until.map { String($0) } ?? ""), ("seen", present?.mark ?? ""),
        ]
        var values: PageValues = [
            "sentence": Self.sentence(of: override, wording), "why": override.reason,
            "chain": override.storeId == nil,
            "fields": fields.map { name, value -> PageValues in ["name": name, "value": value] },
        ]
        if let present {
            values["replaced"] = wording.texts.replaces(
                Self.sentence(of: present, wording), by: present.by, reason: present.reason)
        }
        if let store = override.storeId, !isKnown {
            values["unknownStore"] = wording.texts.unknownStore(store)
        }
        return rendered("confirmation", frame, title: wording.texts.service(.setOverride), values)
    }

    private static func form(_ frame: PageFrame, _ services: [ServiceSummary]) -> PageValues? {
        guard frame.may(.overrideStore) else { return nil }
        let wording = frame.wording
        return [
            "names": services.map {
                ["key": $0.name, "name": wording.texts.name(ofService: $0.name)] as PageValues
            },
            "faulty": wording.texts.state(.faulty), "recovering": wording.texts.state(.recovering),
            "healthy": wording.texts.state(.healthy), "chain": frame.may(.overrideChain),
        ]
    }
}

extension Wording {
    /// What somebody did, or was not allowed to do; an action of a later version as it is.
    fileprivate func act(_ action: String) -> String {
        LoggedAction(rawValue: action).map(texts.act) ?? texts.word(action, texts.right)
    }
}
