internal import HubProtocol
internal import Metrics
internal import Synchronization

/// What one hub counts and measures while it runs, for a collector's page.
///
/// It is handed to whoever counts, not made the process's own: two hubs in one process count apart.
final class PrometheusMetrics: MetricsFactory, Sendable {
    /// One number; both of the kinds that a collector can read.
    final class Value: CounterHandler, MeterHandler, Sendable {
        private let value = Mutex(0.0)

        func increment(by amount: Int64) { increment(by: Double(amount)) }
        func increment(by amount: Double) { value.withLock { $0 += amount } }
        func decrement(by amount: Double) { value.withLock { $0 -= amount } }
        func set(_ value: Int64) { set(Double(value)) }
        func set(_ value: Double) { self.value.withLock { $0 = value } }
        func reset() { set(0.0) }

        fileprivate var current: Double { value.withLock(\.self) }
    }

    /// How often durations were at most so long, in seconds.
    final class Durations: TimerHandler, RecorderHandler, Sendable {
        fileprivate struct State {
            /// Of each bound, and of what was longer than all.
            var counts = [Int64](repeating: 0, count: Durations.bounds.count + 1)
            var sum = 0.0
        }

        /// From a poll (1 ms) to the time limit of a request (10 s), with the aim of a poll, 100 ms, among
        /// them. Twice as many make the page twice as long; half as many do not show a p99 to the half.
        fileprivate static let bounds = [
            0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
        ]
        private let state = Mutex(State())

        func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
        func record(_ value: Int64) { record(Double(value)) }
        func record(_ value: Double) {
            let place = Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count
            state.withLock { state in
                state.counts[place] += 1
                state.sum += value
            }
        }

        fileprivate var current: State { state.withLock(\.self) }
    }

    private enum Kept {
        case value(Value)
        case durations(Durations)
    }

    private struct Family {
        let kind: MetricPage.Kind
        let help: String
        /// By the labels as they stand behind the name.
        var kept: [String: (labels: [(String, String)], Kept)] = [:]
    }

    private let families = Mutex<[String: Family]>([:])

    /// Names a metric before its first value, so that a collector has it from the start.
    func declare(_ label: String, _ kind: MetricPage.Kind, _ help: String) {
        families.withLock { $0[label] = $0[label] ?? Family(kind: kind, help: help) }
    }

    /// Everything that is kept, to which the figures of the moment can be added.
    var page: MetricPage {
        let families = families.withLock(\.self)
        var page = MetricPage()
        for (label, family) in families {
            page.declare(label, family.kind, family.help)
            for (_, (labels, kept)) in family.kept.sorted(by: { $0.key < $1.key }) {
                switch kept {
                case .value(let value): page.add(label, value.current, labels)
                case .durations(let durations):
                    let state = durations.current
                    page.add(
                        label, labels, bounds: Durations.bounds, counts: state.counts, sum: state.sum)
                }
            }
        }
        return page
    }

    private func value(_ label: String, _ kind: MetricPage.Kind, _ labels: [(String, String)]) -> Value {
        kept(label, kind, labels) { kept in
            if case .value(let value)? = kept { return (value, .value(value)) }
            let fresh = Value()
            return (fresh, .value(fresh))
        }
    }

    private func durations(_ label: String, _ labels: [(String, String)]) -> Durations {
        kept(label, .histogram, labels) { kept in
            if case .durations(let durations)? = kept { return (durations, .durations(durations)) }
            let fresh = Durations()
            return (fresh, .durations(fresh))
        }
    }

    private func kept<Handler: Sendable>(
        _ label: String, _ kind: MetricPage.Kind, _ labels: [(String, String)],
        _ known: (Kept?) -> (Handler, Kept)
    ) -> Handler {
        let key = MetricPage.text(of: labels)
        return families.withLock { families in
            var family = families[label] ?? Family(kind: kind, help: label)
            let (handler, kept) = known(family.kept[key]?.1)
            family.kept[key] = (labels, kept)
            families[label] = family
            return handler
        }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        value(label, .counter, dimensions)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        value(label, .gauge, dimensions)
    }

    func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler { durations(label, dimensions) }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        durations(label, dimensions)
    }

    // Every metric of a hub lives as long as the hub.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}
