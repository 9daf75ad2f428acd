internal import Base

/// The states of a service over the last day, a row for each scope that had a change.
struct ServiceTimeline {
    let service: ServiceSummary
    let wording: Wording
    /// When the hub knew nothing: before it existed, and while it was down.
    var unknown: [ClosedRange<Int64>] = []

    private static let span: Int64 = 24 * 3_600_000
    /// More rows than fit a screen show nothing; the list below the plot has all.
    private static let maximumRows = 8

    private struct Scope: Hashable {
        let scope: String
        let subject: String
    }

    var svg: String {
        let from = wording.now - Self.span
        var scopes = [Scope(scope: "global", subject: "")]
        for change in service.history where change.at > from {
            let scope = Scope(scope: change.scope, subject: change.subject)
            if !scopes.contains(scope), scopes.count < Self.maximumRows { scopes.append(scope) }
        }
        return Timeline(
            rows: scopes.map { Timeline.Row(name: name(of: $0), bars: bars(of: $0, from: from)) },
            from: from, to: wording.now, zone: wording.zone,
            label: wording.texts.states(of: wording.texts.name(ofService: service.name))
        ).drawing
    }

    private func name(of scope: Scope) -> String {
        switch scope.scope {
        case "global": wording.texts.service(.chain)
        case "store": wording.store(scope.subject)
        case "terminal": wording.terminal(scope.subject)
        case _: scope.subject.isEmpty ? scope.scope : scope.subject
        }
    }

    private func bars(of scope: Scope, from: Int64) -> [Timeline.Bar] {
        let changes = service.history.filter { $0.scope == scope.scope && $0.subject == scope.subject }
            .sorted { $0.at < $1.at }
        var (state, begin) = (changes.last { $0.at <= from }?.state ?? .healthy, from)
        var bars: [Timeline.Bar] = []
        func end(at end: Int64) {
            let title =
                wording.list([wording.texts.state(state), wording.span(end - begin), wording.clock(begin)])
            bars.append(Timeline.Bar(from: begin, to: end, tone: state.rawValue, title: title))
        }
        for change in changes where change.at > from {
            end(at: change.at)
            (state, begin) = (change.state, change.at)
        }
        end(at: wording.now)
        return bars + gaps(from: from).map { Timeline.Bar.unknown($0, wording) }
    }

    /// Where the list of changes is full, nothing is known before its oldest one either.
    private func gaps(from: Int64) -> [ClosedRange<Int64>] {
        var gaps = unknown
        if service.history.count >= ServiceSummary.historyLimit, let oldest = service.history.map(\.at).min()
        {
            gaps.append(0...oldest)
        }
        return gaps.compactMap { gap in
            let (begin, end) = (max(gap.lowerBound, from), min(gap.upperBound, wording.now))
            return begin < end ? begin...end : nil
        }
    }
}

/// Offline periods, a row for each store whose terminals share them, or for each terminal.
struct OfflineTimeline {
    /// What a row is called, where it leads, and its periods.
    struct Row {
        let name: String
        let link: String
        let periods: [OfflinePeriod]
        /// Before that nothing is known, in milliseconds since 1970.
        let knownSince: Int64
    }

    let rows: [Row]
    let wording: Wording
    /// Milliseconds back from now.
    let span: Int64

    var svg: String {
        let from = wording.now - span
        return Timeline(
            rows: rows.map { row in
                var bars = row.periods.filter { ($0.end ?? wording.now) > from }.map {
                    bar(of: $0, from: from)
                }
                if row.knownSince > from {
                    bars.insert(.unknown(from...min(row.knownSince, wording.now), wording), at: 0)
                }
                return Timeline.Row(name: row.name, link: row.link, bars: bars)
            }, from: from, to: wording.now, zone: wording.zone, label: wording.texts.fleet(.periodsPlot)
        ).drawing
    }

    private func bar(of period: OfflinePeriod, from: Int64) -> Timeline.Bar {
        let end = period.end ?? wording.now
        let span = wording.span(max(0, end - period.start))
        let title = wording.list([wording.causes(period.causes), span, wording.clock(period.start)])
        return Timeline.Bar(
            from: max(period.start, from), to: end, tone: Self.tone(of: period),
            title: period.end == nil ? wording.texts.stillLasts(title) : title, lasts: period.end == nil)
    }

    private static func tone(of period: OfflinePeriod) -> String {
        let causes = period.causes.names.compactMap(PageWord.Cause.init)
        return switch PageWord.Cause.allCases.first(where: causes.contains) {
        case .network: "network"
        case .service: "service"
        case .manual: "manual"
        case .silent, nil: "unknown"
        }
    }
}

extension Timeline.Bar {
    /// Grey, for a time of which nothing is known.
    fileprivate static func unknown(_ span: ClosedRange<Int64>, _ wording: Wording) -> Timeline.Bar {
        let (begin, end) = (span.lowerBound, span.upperBound)
        return Timeline.Bar(
            from: begin, to: end, tone: "unknown",
            title: wording.list([wording.texts.fleet(.nothingKnown), wording.span(end - begin)]))
    }
}
