extension ServiceFaultDetector {
    /// Tells QoS the counts of every service that may be told, once one of them is due.
    mutating func report(at now: Instant, _ effects: inout [ServiceEffect]) {
        guard watches.contains(where: { isDue($0.ledger, at: now) }) else { return }
        var taken: [Int: ReportLedger] = [:]
        for index in watches.indices where watches[index].ledger.mayRide(at: now, settings) {
            taken[index] = watches[index].ledger.take(at: now)
        }
        let tag = nextTag()
        sentReports.append(
            SentReport(tag: tag, taken: taken, until: lossTime(of: settings.queryTimeout, at: now)))
        effects.append(.reportQoS(tag: tag, makeReport(taken, at: now)))
    }

    mutating func putBack(_ report: SentReport, at now: Instant) {
        for (index, ledger) in report.taken { watches[index].ledger.putBack(ledger, at: now, settings) }
    }

    private func isDue(_ ledger: ReportLedger, at now: Instant) -> Bool {
        ledger.due(settings).map { $0 <= now } ?? false
    }

    private func makeReport(_ taken: [Int: ReportLedger], at now: Instant) -> QoSReport {
        var generations: [String: Int64] = [:]
        for watch in watches { generations[watch.service] = watch.word?.generation }
        return QoSReport(
            windowStart: taken.values.compactMap(\.start).min() ?? now, windowEnd: now,
            services: taken.sorted { $0.key < $1.key }.map(\.value.counts), knownGeneration: generations)
    }
}
