import Base

internal import CLibcurl
internal import LinuxRuntime
internal import Glibc
internal import OfflineCore
internal import Synchronization

/// The session's multi handle on an event loop: libcurl names the sockets that it waits for and a deadline,
/// and the loop reports events to it. Deadlines and stalls of requests are watched here.
///
/// Callers submit from any thread; the multi handle and the running transfers belong to the loop's thread.
final class CurlLoop: @unchecked Sendable {
    private struct Door {
        var isShut = false
        /// Connections made before this moment are not to be used by new requests.
        var connectionsValidFrom: Instant?
        var segments = TCPSegments.full
        var binding = PathBinding.routed
    }

    private let configuration: CurlSessionConfiguration
    private let loop: EventLoop
    private let multi: UnsafeMutableRawPointer
    private let door = Mutex(Door())

    // What follows belongs to the loop's thread.
    private var running: [UnsafeMutableRawPointer: CurlTransfer] = [:]
    private var watches: [curl_socket_t: EventLoop.WatchToken] = [:]
    private var hasEnded = false
    /// The last failure of the network: an address that was resolved before it may be the cause.
    private var addressesValidFrom: Instant?
    /// When libcurl has to be called even without an event on a socket.
    private var libraryDeadline: Instant?
    private var alarm: (at: Instant, timer: EventLoop.TimerToken)?

    init(configuration: CurlSessionConfiguration, loop: EventLoop) throws(CurlSessionError) {
        guard Self.libraryIsReady, let multi = curl_multi_init() else { throw .libraryUnavailable }
        self.configuration = configuration
        self.loop = loop
        self.multi = multi
        _ = ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, configuration.keptConnections)
        setFunctions()
    }

    /// Set up once for the process; libcurl requires it before its first use.
    private static let libraryIsReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Submits a request. `completion` is called exactly once, on the loop's thread unless the session is
    /// closed.
    func submit(_ transfer: CurlTransfer, completion: @escaping @Sendable (HTTPExchange) -> Void) {
        transfer.completion = completion
        let isTaken = door.withLock { door in
            guard !door.isShut else { return false }
            loop.enqueue { self.begin(transfer) }
            return true
        }
        if !isTaken { transfer.finish(.failure(.sessionClosed)) }
    }

    func cancel(_ transfer: CurlTransfer) {
        door.withLock { door in
            // After a shutdown every transfer has ended anyway, and the loop may be gone.
            guard !door.isShut else { return }
            loop.enqueue {
                transfer.isCancelled = true
                self.settle()
            }
        }
    }

    func forgetConnections() {
        let now = LinuxSystemTime().now()
        door.withLock { $0.connectionsValidFrom = now }
    }

    func use(_ segments: TCPSegments) {
        let now = LinuxSystemTime().now()
        door.withLock { door in
            guard door.segments != segments else { return }
            (door.segments, door.connectionsValidFrom) = (segments, now)
        }
    }

    func use(_ binding: PathBinding) {
        let now = LinuxSystemTime().now()
        door.withLock { door in
            guard door.binding != binding else { return }
            (door.binding, door.connectionsValidFrom) = (binding, now)
        }
    }

    /// Ends every transfer and frees libcurl's handle, at once where the caller runs on the loop.
    ///
    /// - Parameter ended: called when that is done.
    /// - Returns: false after an earlier call; `ended` is not called then.
    @discardableResult
    func shutDown(ended: @escaping @Sendable () -> Void) -> Bool {
        let isFirst = door.withLock { door in
            defer { door.isShut = true }
            return !door.isShut
        }
        guard isFirst else { return false }
        loop.perform {
            self.end()
            ended()
        }
        return true
    }
}

/// What runs on the loop's thread.
extension CurlLoop {
    private func setFunctions() {
        // The handle is freed before this object goes, so that no count is needed here.
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_multi_set_functions(
            multi,
            { easy, socket, what, context, _ in
                CurlLoop.from(context)?.watch(socket, what, of: easy)
                return 0
            },
            { _, milliseconds, context in
                CurlLoop.from(context)?.libraryDeadline =
                    milliseconds < 0 ? nil : LinuxSystemTime().now() + .milliseconds(milliseconds)
                return 0
            }, context)
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> CurlLoop? {
        context.map { Unmanaged<CurlLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    private func watch(_ socket: curl_socket_t, _ what: Int32, of easy: UnsafeMutableRawPointer?) {
        if let easy, what != CURL_POLL_REMOVE { running[easy]?.socket = socket }
        guard what != CURL_POLL_REMOVE else {
            if let watch = watches.removeValue(forKey: socket) { loop.ignore(watch) }
            return
        }
        var interest: Readiness = []
        if what & CURL_POLL_IN != 0 { interest.insert(.read) }
        if what & CURL_POLL_OUT != 0 { interest.insert(.write) }
        // A socket that cannot be watched is a transfer that its deadline ends.
        watches[socket] = try? loop.watch(socket, for: interest) { [self] in act(on: socket, $0) }
    }

    private func begin(_ transfer: CurlTransfer) {
        guard !hasEnded else { return transfer.finish(.failure(.sessionClosed)) }
        guard !transfer.isCancelled else { return transfer.finish(.failure(.cancelled)) }
        do throws(TransferFailure) {
            let (path, segments, binding) = door.withLock { door in
                (door.connectionsValidFrom, door.segments, door.binding)
            }
            let easy = try transfer.makeHandle(
                configuration: configuration, segments: segments, binding: binding,
                connectionsValidFrom: path,
                addressesValidFrom: [path, addressesValidFrom].compactMap(\.self).max())
            guard curl_multi_add_handle(multi, easy) == CURLM_OK else {
                transfer.releaseHandle()
                throw .notSendable(detail: "libcurl refused the request")
            }
            running[easy] = transfer
            actOnTime()
        } catch {
            transfer.finish(.failure(error))
        }
    }

    /// Lets libcurl work on a socket that is ready.
    private func act(on socket: curl_socket_t, _ readiness: Readiness) {
        var (flags, active): (Int32, Int32) = (0, 0)
        if readiness.contains(.read) { flags |= CURL_CSELECT_IN }
        if readiness.contains(.write) { flags |= CURL_CSELECT_OUT }
        curl_multi_socket_action(multi, socket, flags, &active)
        settle()
    }

    /// Takes off what has ended, and sets the alarm for what comes next.
    private func settle() {
        guard !hasEnded else { return }
        collectFinished()
        endOverdue(at: LinuxSystemTime().now())
        setAlarm()
    }

    private func ring() {
        alarm = nil
        let isLibrarys = libraryDeadline.map { $0 <= LinuxSystemTime().now() } ?? false
        if isLibrarys { actOnTime() } else { settle() }
    }

    /// Lets libcurl do what is due. It names a deadline once, and only another one after that.
    private func actOnTime() {
        if let due = libraryDeadline, due <= LinuxSystemTime().now() { libraryDeadline = nil }
        act(on: CURL_SOCKET_TIMEOUT, [])
    }

    /// An idle session has none, so it does not wake up.
    private func setAlarm() {
        let check = running.values.map { $0.nextCheck(every: configuration.stallAfter) }.min()
        let next = [libraryDeadline, check].compactMap { $0 }.min()
        guard next != alarm?.at else { return }
        if let alarm { loop.cancel(alarm.timer) }
        alarm = next.map { instant in (instant, loop.schedule(at: instant) { [self] in ring() }) }
    }

    private func collectFinished() {
        var waiting: Int32 = 0
        while let message = curl_multi_info_read(multi, &waiting) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                let transfer = running[easy]
            else { continue }
            let code = ccurl_message_result(message)
            remove(easy, transfer, result: transfer.result(of: code))
        }
    }

    private func endOverdue(at now: Instant) {
        for (easy, transfer) in running {
            transfer.noteReached(at: now)
            transfer.look(every: configuration.stallAfter, at: now)
            if transfer.isCancelled {
                remove(easy, transfer, result: .failure(.cancelled))
            } else if now >= transfer.deadline {
                remove(easy, transfer, result: .failure(.deadlinePassed(transfer.phase)))
            }
        }
    }

    private func remove(
        _ easy: UnsafeMutableRawPointer, _ transfer: CurlTransfer,
        result: Result<HTTPResponse, TransferFailure>
    ) {
        transfer.readConnectionFacts()
        if case .failure(let failure) = result, failure.mayBeOfAddress {
            addressesValidFrom = LinuxSystemTime().now()
        }
        running[easy] = nil
        curl_multi_remove_handle(multi, easy)
        transfer.releaseHandle()
        transfer.finish(result)
    }

    private func end() {
        for (easy, transfer) in running { remove(easy, transfer, result: .failure(.sessionClosed)) }
        hasEnded = true
        for watch in watches.values { loop.ignore(watch) }
        watches = [:]
        if let alarm { loop.cancel(alarm.timer) }
        alarm = nil
        curl_multi_cleanup(multi)
    }
}
