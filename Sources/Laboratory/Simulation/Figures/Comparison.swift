import Base
package import OfflineCore

/// Settings to compare.
package struct Variant: Sendable {
    /// The label of the run in charts and tables.
    package let name: String
    /// What the simulated till runs with.
    package let settings: OfflineSettings

    /// Makes a variant; names within a comparison are expected to differ.
    package init(name: String, settings: OfflineSettings) {
        self.name = name
        self.settings = settings
    }
}

/// Several simulation runs on the same link, side by side, with times from zero.
package struct Comparison: Sendable {
    package private(set) var span: Duration
    /// When the link was dead.
    package private(set) var outages: TimeRanges
    /// One for each variant, in their order; of a recording first the recorded run and any simulation.
    package private(set) var runs: [LinkRun]

    /// Every variant on a link recording, with the same sales and the same random numbers.
    ///
    /// - Parameter lossPerMille: how many of a thousand round trips are lost beside those of the recording.
    package init(
        on trace: LinkTrace, lossPerMille: UInt64 = 0, variants: [Variant], sales: SalePace,
        budget: Duration, seed: UInt64
    ) {
        span = trace.end - Instant(nanoseconds: 0)
        outages = trace.outages
        runs = variants.map { variant in
            var plan = TillPlan(
                link: SimulatedLink(outage: .recorded(trace), lossPerMille: lossPerMille),
                settings: variant.settings, sales: sales, seed: seed)
            plan.budget = budget
            return LinkRun(name: variant.name, plan: plan, outages: trace.outages, until: trace.end)
        }
    }

    /// An event recording, a simulation run with the recorded settings, and the variants.
    ///
    /// The second shows the error of the simulation: its link is known only where the recording has a probe.
    ///
    /// - Parameter variants: makes them from the settings of the recording, with the same names each time.
    package init(
        of records: [RecordedSegment], budget: Duration, variants: (OfflineSettings) -> [Variant]
    ) {
        span = .zero
        outages = TimeRanges()
        runs = []
        for record in records where record.start < record.end {
            let queried = Variant(name: "asked anew", settings: record.settings)
            let others = variants(record.settings)
            let tried = others.isEmpty ? [] : [queried] + others
            append(
                record,
                [record.recordedLife(budget: budget)]
                    + tried.map { record.run(named: $0.name, settings: $0.settings, budget: budget) })
        }
    }

    /// Intervals of a recording follow each other as if no time passed between them.
    private mutating func append(_ record: RecordedSegment, _ more: [LinkRun]) {
        let offset = Instant(nanoseconds: 0) + span - record.start
        outages.append(record.outages.shifted(by: offset))
        if runs.isEmpty {
            runs = more.map { LinkRun(name: $0.name, offline: TimeRanges(), figures: LinkFigures()) }
        }
        for (index, run) in more.enumerated() where index < runs.count {
            runs[index].append(run, shiftedBy: offset)
        }
        span += record.end - record.start
    }
}
