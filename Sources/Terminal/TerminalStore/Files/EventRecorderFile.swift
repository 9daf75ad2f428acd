internal import Dispatch
internal import Glibc
package import OfflineCore
import OfflineMode
internal import Synchronization

/// The event recording as two files of bounded size: `flight.log`, and the older `flight.old.log`.
///
/// A line is written to the system's cache at once and reaches the disk later: the line survives the process,
/// and no thread wakes up for it. When a write blocked nevertheless, lines go through memory and a background
/// queue for a minute. When that is slower than the events, lines are dropped and their number is written in
/// their place.
package final class EventRecorderFile: EventRecorder {
    private struct Buffer {
        var lines: [UInt8] = []
        var dropped = 0
        var isScheduled = false
        /// Until then the queue writes.
        var slowUntil: ContinuousClock.Instant?
    }

    private struct Log {
        var descriptor: Int32 = -1
        var size = 0
    }

    private let path: String
    private let oldPath: String
    private let maximumBytes: Int
    private let maximumBuffered: Int
    private let queue = DispatchQueue(label: "flight-recorder", qos: .utility)
    private let buffer = Mutex(Buffer())
    private let log = Mutex(Log())

    /// A write that takes longer than this has waited for the disk.
    private static let waitBudget = Duration.milliseconds(20)
    /// For how long the queue writes then.
    private static let caution = Duration.seconds(60)

    /// - Parameters:
    ///   - maximumBytes: of each of the two files, default 8 MiB.
    ///   - maximumBuffered: bytes that may wait in memory, default 1 MiB.
    package init(home: String, maximumBytes: Int = 8 << 20, maximumBuffered: Int = 1 << 20) {
        path = home + "/flight.log"
        oldPath = home + "/flight.old.log"
        self.maximumBytes = maximumBytes
        self.maximumBuffered = maximumBuffered
    }

    deinit {
        log.withLock { if $0.descriptor >= 0 { close($0.descriptor) } }
    }

    /// Adds one line, without its line feed. Never throws; a line that finds no room in memory is dropped and
    /// counted.
    package func append(_ line: String) {
        let start = ContinuousClock.now
        let (mustWrite, mustSchedule) = buffer.withLock { buffer in
            guard buffer.lines.count + line.utf8.count < maximumBuffered else {
                buffer.dropped += 1
                return (false, false)
            }
            buffer.lines.append(contentsOf: line.utf8)
            buffer.lines.append(0x0A)
            guard !buffer.isScheduled else { return (false, false) }
            buffer.isScheduled = true
            let isSlow = buffer.slowUntil.map { start < $0 } ?? false
            return (!isSlow, isSlow)
        }
        if mustSchedule { queue.async { self.writeBuffered() } }
        if mustWrite { writeBuffered() }
    }

    /// Waits until everything appended so far was handed to the operating system.
    package func flush() {
        queue.sync { writeBuffered() }
    }

    /// Waits until everything appended so far is on the disk.
    private func makeDurable() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.writeBuffered()
                self.log.withLock { if $0.descriptor >= 0 { fdatasync($0.descriptor) } }
                continuation.resume()
            }
        }
    }

    private func writeBuffered() {
        log.withLock { log in
            let bytes = takeBuffered()
            guard !bytes.isEmpty else { return }
            let start = ContinuousClock.now
            if log.size + bytes.count > maximumBytes { rotate(&log) }
            if log.descriptor < 0 { reopen(&log) }
            // A recorder that cannot write loses lines; the terminal continues.
            guard (try? DurableFile.write(bytes, to: log.descriptor, path: path)) != nil else { return }
            log.size += bytes.count
            let end = ContinuousClock.now
            guard end - start > Self.waitBudget else { return }
            buffer.withLock { $0.slowUntil = end + Self.caution }
        }
    }

    private func takeBuffered() -> [UInt8] {
        buffer.withLock { buffer in
            var bytes = buffer.lines
            if buffer.dropped > 0 { bytes += Array("{\"dropped\":\(buffer.dropped)}\n".utf8) }
            buffer = Buffer(slowUntil: buffer.slowUntil)
            return bytes
        }
    }

    private func rotate(_ log: inout Log) {
        if log.descriptor >= 0 { close(log.descriptor) }
        log = Log()
        rename(path, oldPath)
    }

    private func reopen(_ log: inout Log) {
        log.descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        log.size = Int(lseek(log.descriptor, 0, SEEK_END))
        if log.size > maximumBytes {
            rotate(&log)
            log.descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        }
    }
}

/// An outage often comes with a power cut: what led to it is on the disk before the terminal goes offline.
extension EventRecorderFile: OfflineModeParticipant {
    /// Returns when every line appended before is on the disk.
    package func terminalWillGoOffline(causes: [OfflineCause]) async { await makeDurable() }

    /// Does nothing: the lines reach the disk later.
    package func terminalDidComeOnline() async {}
}
