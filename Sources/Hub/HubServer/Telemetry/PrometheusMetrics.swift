internal import Metrics
internal import Synchronization

/// The metrics of one hub, and their text for a collector: version 0.0.4 of Prometheus' exposition format
/// (prometheus.io/docs/instrumenting/exposition_formats).
///
/// Counters and meters are kept; a hub has no timers and no distributions, so those are dropped. It is handed
/// to whoever counts, not made the process's own: two hubs in one process count apart.
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

        /// A whole number without a point; exact to 2^53, nine billion million responses.
        fileprivate var text: String {
            let value = value.withLock(\.self)
            return Int64(exactly: value).map(String.init) ?? String(value)
        }
    }

    private struct Family {
        let type: String
        /// By the dimensions, as they stand behind the name.
        var values: [String: Value] = [:]
    }

    private let families = Mutex<[String: Family]>([:])

    /// One `# TYPE` line for each metric, with its values behind it; both in the order of their names.
    var text: String {
        families.withLock { families in
            families.sorted { $0.key < $1.key }.map { label, family in
                let lines = family.values.sorted { $0.key < $1.key }.map { "\(label)\($0) \($1.text)\n" }
                return "# TYPE \(label) \(family.type)\n" + lines.joined()
            }.joined()
        }
    }

    /// Names a counter before its first value, so that a collector knows it from the start.
    func declareCounter(_ label: String) {
        families.withLock { $0[label] = $0[label] ?? Family(type: "counter") }
    }

    private func value(_ label: String, _ type: String, _ dimensions: [(String, String)]) -> Value {
        let pairs = dimensions.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
        return families.withLock { families in
            var family = families[label] ?? Family(type: type)
            let key = pairs.isEmpty ? "" : "{\(pairs)}"
            let value = family.values[key] ?? Value()
            family.values[key] = value
            families[label] = family
            return value
        }
    }

    private static func escaped(_ value: String) -> String {
        var text = ""
        for character in value {
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            case _: text.append(character)
            }
        }
        return text
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        value(label, "counter", dimensions)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        value(label, "gauge", dimensions)
    }

    func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler { NOOPMetricsHandler.instance }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        NOOPMetricsHandler.instance
    }

    // Every metric of a hub lives as long as the hub.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}

/// Counts responses by the class of their status since the start.
final class ResponseCounter: Sendable {
    private let counters = Mutex<[Int: Counter]>([:])
    private let metrics: PrometheusMetrics
    private static let label = "hub_responses_total"

    init(_ metrics: PrometheusMetrics) {
        self.metrics = metrics
        metrics.declareCounter(Self.label)
    }

    /// Counts one response. A class begins with its first response.
    func count(_ status: Int) {
        counters.withLock { counters in
            let hundreds = status / 100
            let counter =
                counters[hundreds]
                ?? Counter(label: Self.label, dimensions: [("class", "\(hundreds)xx")], factory: metrics)
            counters[hundreds] = counter
            counter.increment()
        }
    }
}
