import OfflineCore
package import Base

/// A model of how another program decides that the network is down: its probes, its counters and its waits,
/// with its default parameters and simulated time.
///
/// Path events are left out: in a comparison the interface stays up and the link becomes silent.
package protocol OtherDetector: Sendable {
    /// The name that its authors use.
    static var name: String { get }

    /// Begins online, with its first probe due at `start`.
    init(from start: Instant)

    /// The mode that it shows now.
    var isOffline: Bool { get }

    /// When it acts next.
    var due: Instant { get }

    /// Does what is due at `now`.
    mutating func act(at now: Instant, on network: inout SimulatedProbe)
}

extension OtherDetector {
    /// Runs from `start` until `end` and is compared with the true state of the link.
    ///
    /// - Parameters:
    ///   - start: when it begins to probe; from the link's beginning until then it shows online.
    ///   - outages: when the link is dead until `end`.
    package static func run(
        on network: SimulatedProbe, from start: Instant, outages: TimeRanges, until end: Instant
    ) -> LinkRun {
        var network = network
        var detector = Self(from: start)
        var switches: [(at: Instant, isOn: Bool)] = []
        while detector.due < end {
            let now = detector.due
            let wasOffline = detector.isOffline
            detector.act(at: now, on: &network)
            if detector.isOffline != wasOffline { switches.append((now, detector.isOffline)) }
        }
        let offline = TimeRanges(switches: switches, until: end)
        var figures = LinkFigures(
            watched: end - Instant(nanoseconds: 0), outages: outages, offline: offline, waiting: .zero,
            activeProbes: network.queries)
        figures.count(switches: switches.count)
        return LinkRun(name: name, offline: offline, figures: figures)
    }
}

/// All detectors with a model.
package let otherDetectors: [any OtherDetector.Type] = [
    RealReachability.self, NetworkManagerCheck.self, Mwan3.self, VintageNet.self,
]
