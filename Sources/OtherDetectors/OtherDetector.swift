public import OfflineCore
public import Replay

/// A model of how another program decides that the network is gone: its questions, its counting and its
/// waits, with its default parameters and nothing of its own clock.
///
/// Events of the path are left out: the links of a comparison stay up for the kernel and go silent.
public protocol OtherDetector: Sendable {
    /// As its authors call it.
    static var name: String { get }

    /// Begins online, its first question due at `start`.
    init(from start: Instant)

    /// What it shows now.
    var isOffline: Bool { get }

    /// When it acts next.
    var due: Instant { get }

    /// Does what is due at `now`.
    mutating func act(at now: Instant, on network: inout AskedNetwork)
}

extension OtherDetector {
    /// Lives from `start` until `end` and is held against how the link really was.
    ///
    /// - Parameters:
    ///   - start: when it begins to ask; from the link's beginning until then it shows online.
    ///   - outages: when the link is dead until `end`.
    public static func life(
        on network: AskedNetwork, from start: Instant, outages: TimeRanges, until end: Instant
    ) -> LinkLife {
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
            activeProbes: network.questions)
        figures.count(switches: switches.count)
        return LinkLife(name: name, offline: offline, figures: figures)
    }
}

/// All that there are models of.
public let otherDetectors: [any OtherDetector.Type] = [
    RealReachability.self, NetworkManagerCheck.self, Mwan3.self, VintageNet.self,
]
