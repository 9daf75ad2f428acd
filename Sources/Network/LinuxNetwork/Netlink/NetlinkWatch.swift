import Base

internal import CLinux
internal import LinuxRuntime
internal import MachineRuntime
internal import Glibc
internal import OfflineCore
internal import Synchronization

/// The thread behind one stream of paths.
///
/// A loop of: sleep in `poll`, empty the socket, read the tables, publish a change. Many announcements in a
/// short time cost one reading per ``Options/pace``.
final class NetlinkWatch: Sendable {
    struct Options: Sendable {
        /// The least time between two readings. Default 20 ms.
        var pace: Duration = .milliseconds(20)
        /// The most time between two readings. Default 300 s.
        var safetyInterval: Duration = .seconds(300)
        /// How long to wait before netlink is tried again where it failed once. Default 1 s.
        var firstRetry: Duration = .seconds(1)
        /// The same where it failed before. Default 30 s.
        var retryInterval: Duration = .seconds(30)
        /// SO_RCVBUF of the subscription; 0 leaves the system's.
        var receiveBuffer: Int32 = 0
        /// Runs first on the thread: a test moves it into a network namespace.
        var prelude: @Sendable () -> Void = {}
        /// Called after every reading with its reason, for tests.
        var onReading: @Sendable (Reason) -> Void = { _ in }
    }

    /// Why the tables are read.
    enum Reason: Hashable, Sendable {
        case announcement
        /// The kernel dropped announcements.
        case overflow
        /// The last reading was disturbed by a change.
        case disturbed
        case safety
    }

    private static let groups =
        UInt32(RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE)

    private let options: Options
    private let derive: @Sendable (KernelTables) -> HubPaths
    private let publish: @Sendable (HubPaths) -> Void
    private let wakeup = Wakeup()
    private let time = LinuxSystemTime()
    private let isStopped = Atomic(false)

    init(
        options: Options, derive: @escaping @Sendable (KernelTables) -> HubPaths,
        publish: @escaping @Sendable (HubPaths) -> Void
    ) {
        self.options = options
        self.derive = derive
        self.publish = publish
    }

    func start() {
        do throws(EventLoopError) {
            try PosixThread.detach { [self] in
                options.prelude()
                run()
            }
        } catch {
            publish(.kernelViewMissing)
        }
    }

    func wake() { wakeup.signal() }

    func stop() {
        isStopped.store(true, ordering: .releasing)
        wakeup.signal()
    }

    private func run() {
        var last: HubPaths?
        func publishIfChanged(_ paths: HubPaths) {
            guard paths != last else { return }
            last = paths
            publish(paths)
        }
        var failures = 0
        while !isStopped.load(ordering: .acquiring) {
            let socket = clinux_open_route_socket(Self.groups, options.receiveBuffer)
            if socket >= 0 {
                let hasRead = watch(socket, publishIfChanged)
                close(socket)
                if hasRead { failures = 0 }
            }
            guard !isStopped.load(ordering: .acquiring) else { return }
            // One failure may be a short lack of memory; the last published status stays in force meanwhile.
            failures += 1
            if last == nil || failures > 1 { publishIfChanged(.kernelViewMissing) }
            wakeup.wait(besides: nil, for: failures > 1 ? options.retryInterval : options.firstRetry)
        }
    }

    /// Reads and reports until the watch is stopped or netlink fails; whether the tables were read at all.
    private func watch(_ socket: Int32, _ report: (HubPaths) -> Void) -> Bool {
        var reason = Reason.announcement
        var hasRead = false
        while !isStopped.load(ordering: .acquiring) {
            let readAt = time.now()
            do throws(NetlinkDump.Failure) {
                let tables = try NetlinkDump.read()
                hasRead = true
                options.onReading(reason)
                report(derive(tables))
            } catch {
                guard error == .disturbed else { return hasRead }
                wakeup.wait(besides: nil, for: options.pace)
                if reason != .overflow { reason = .disturbed }
                continue
            }
            guard wakeup.wait(besides: socket, for: options.safetyInterval) else {
                reason = .safety
                continue
            }
            // The first announcement after an idle time causes a reading at once, further ones at the pace.
            let pause = readAt + options.pace - time.now()
            if pause > .zero { wakeup.wait(besides: nil, for: pause) }
            reason = Self.drain(socket) ? .overflow : .announcement
        }
        return hasRead
    }

    /// Removes every announcement from the socket; whether some were lost.
    private static func drain(_ socket: Int32) -> Bool {
        var byte: UInt8 = 0
        var wasOverrun = false
        while true {
            var (truncated, fromKernel): (Int32, Int32) = (0, 0)
            // Their content does not matter, so one byte of each is enough.
            let count = clinux_receive(socket, &byte, 1, Int32(MSG_DONTWAIT), &truncated, &fromKernel)
            if count >= 0 { continue }
            guard errno == ENOBUFS else { return wasOverrun }
            wasOverrun = true
        }
    }
}

extension HubPaths {
    /// Netlink reports nothing: usable, so that the probe decides.
    fileprivate static let kernelViewMissing = HubPaths(
        main: HubPath(
            status: PathStatus(
                isUsable: true, interface: nil, transport: .unknown, isMetered: false, isConstrained: false,
                route: "unknown")))
}
