import Base

internal import Glibc
internal import OfflineCore
internal import OfflineMode

/// A running agent and its event recording. The recording's moments are of the system's monotonic clock,
/// which this program uses too, so the agent gets no requests while it is measured.
final class WatchedTill {
    let agent: BuiltProgram
    private let recording: String

    init(_ agent: BuiltProgram, home: String) {
        self.agent = agent
        recording = home + "/flight.log"
    }

    /// When the till first showed `mode` after `start`, in nanoseconds; nil: not yet.
    func switched(to mode: Mode, after start: Int64) -> Int64? {
        moment(after: start) { line in
            guard case .decided(let effects) = line else { return false }
            return effects.contains { $0.hasPrefix("switch:\(mode.rawValue)") }
        }
    }

    /// When the till was first notified, after `start`, that it has a path or has none.
    func wasNotified(ofPath isUsable: Bool, after start: Int64) -> Int64? {
        moment(after: start) { line in
            guard case .event(.pathChanged(let path)) = line else { return false }
            return path.isUsable == isUsable
        }
    }

    /// How many announcements of the kernel its socket had no room for.
    var lostAnnouncements: Int {
        let process = String(agent.processIdentifier)
        let table = TextFile.read("/proc/\(process)/net/netlink") ?? ""
        return table.split(separator: "\n").reduce(0) { sum, line in
            // Address, protocol (0 is rtnetlink), port, groups, four more, drops.
            let fields = line.split(separator: " ")
            guard fields.count > 8, fields[1] == "0", fields[2] == process else { return sum }
            return sum + (Int(fields[8]) ?? 0)
        }
    }

    private func moment(after start: Int64, _ fits: (RecordingLine) -> Bool) -> Int64? {
        for text in (TextFile.read(recording) ?? "").split(separator: "\n") {
            guard let (at, line) = try? RecordingLine.read(text), at.nanoseconds > start, fits(line) else {
                continue
            }
            return at.nanoseconds
        }
        return nil
    }
}
