internal import CLibcurl
internal import Glibc
internal import OfflineCore
internal import Synchronization

/// The session's thread: takes requests from its inbox, lets libcurl work, watches deadlines and stalls.
///
/// It sleeps in `curl_multi_poll` until a socket is ready, a deadline is due or somebody wakes it. Callers
/// touch the inbox only; the multi handle and the running transfers belong to the thread.
final class CurlLoop: @unchecked Sendable {
    private struct Inbox {
        var submitted: [CurlTransfer] = []
        var isShutDown = false
        var thread: pthread_t?
        /// Connections made before this moment are not to be used by new requests.
        var connectionsValidFrom: Instant?
    }

    private let configuration: CurlSessionConfiguration
    private let multi: UnsafeMutableRawPointer
    private let inbox = Mutex(Inbox())
    private var running: [UnsafeMutableRawPointer: CurlTransfer] = [:]

    init(configuration: CurlSessionConfiguration) throws(CurlSessionError) {
        guard Self.libraryIsReady, let multi = curl_multi_init() else { throw .libraryUnavailable }
        self.configuration = configuration
        self.multi = multi
        _ = ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, configuration.keptConnections)
    }

    /// Set up once for the process; libcurl asks for it before its first use.
    private static let libraryIsReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    func start() throws(CurlSessionError) {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<CurlLoop>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            curl_multi_cleanup(multi)
            throw .threadNotStarted(code: code)
        }
        inbox.withLock { $0.thread = thread }
    }

    /// Hands over a request. `completion` is called exactly once, on the session's thread unless it is
    /// closed.
    func submit(_ transfer: CurlTransfer, completion: @escaping @Sendable (HTTPExchange) -> Void) {
        transfer.completion = completion
        let isTaken = inbox.withLock { inbox in
            guard !inbox.isShutDown else { return false }
            inbox.submitted.append(transfer)
            curl_multi_wakeup(multi)
            return true
        }
        if !isTaken { transfer.finish(.failure(.sessionClosed)) }
    }

    func cancel(_ transfer: CurlTransfer) {
        transfer.isCancelled.store(true, ordering: .releasing)
        inbox.withLock { inbox in
            // Behind a shutdown the multi handle may be gone already, and the thread ends every transfer
            // itself.
            guard !inbox.isShutDown else { return }
            curl_multi_wakeup(multi)
        }
    }

    func forgetConnections() {
        let now = MonotonicClock.now()
        inbox.withLock { $0.connectionsValidFrom = now }
    }

    func shutDown(waiting: Bool) {
        let thread = inbox.withLock { inbox -> pthread_t? in
            guard let thread = inbox.thread.take() else { return nil }
            inbox.isShutDown = true
            curl_multi_wakeup(multi)
            return thread
        }
        guard let thread else { return }
        if waiting, pthread_equal(thread, pthread_self()) == 0 {
            pthread_join(thread, nil)
        } else {
            pthread_detach(thread)
        }
    }

    /// The session's thread; everything below runs on it.
    private func run() {
        nameThread(configuration.threadName)
        while true {
            let (submitted, isShutDown, validFrom) = inbox.withLock { inbox in
                (inbox.submitted.takeAll(), inbox.isShutDown, inbox.connectionsValidFrom)
            }
            for transfer in submitted { begin(transfer, connectionsValidFrom: validFrom) }
            if isShutDown { break }
            var active: Int32 = 0
            curl_multi_perform(multi, &active)
            collectFinished()
            endOverdue(at: MonotonicClock.now())
            let timeout = millisecondsToSleep(at: MonotonicClock.now())
            curl_multi_poll(multi, nil, 0, timeout, nil)
        }
        for (easy, transfer) in running { remove(easy, transfer, result: .failure(.sessionClosed)) }
        curl_multi_cleanup(multi)
    }

    /// Shown by `top -H` and debuggers; best effort.
    private func nameThread(_ name: String) {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = write(file, name, name.utf8.count)
        Glibc.close(file)
    }

    private func begin(_ transfer: CurlTransfer, connectionsValidFrom: Instant?) {
        guard !transfer.isCancelled.load(ordering: .acquiring) else {
            return transfer.finish(.failure(.cancelled))
        }
        do throws(TransferFailure) {
            let easy = try transfer.makeHandle(
                configuration: configuration, connectionsValidFrom: connectionsValidFrom)
            guard curl_multi_add_handle(multi, easy) == CURLM_OK else {
                transfer.releaseHandle()
                throw .notSendable(detail: "libcurl refused the request")
            }
            running[easy] = transfer
        } catch {
            transfer.finish(.failure(error))
        }
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
            if transfer.isCancelled.load(ordering: .acquiring) {
                remove(easy, transfer, result: .failure(.cancelled))
            } else if now >= transfer.deadline {
                remove(easy, transfer, result: .failure(.deadlinePassed(transfer.phase)))
            } else {
                transfer.reportStall(after: configuration.stallAfter, at: now)
            }
        }
    }

    private func remove(
        _ easy: UnsafeMutableRawPointer, _ transfer: CurlTransfer,
        result: Result<HTTPResponse, TransferFailure>
    ) {
        transfer.readConnectionFacts()
        running[easy] = nil
        curl_multi_remove_handle(multi, easy)
        transfer.releaseHandle()
        transfer.finish(result)
    }

    /// Until the next deadline or stall; libcurl shortens it by its own timers. Idle, it is without end.
    private func millisecondsToSleep(at now: Instant) -> Int32 {
        let next = running.values.map { $0.nextCheck(stallAfter: configuration.stallAfter) }.min()
        guard let next else { return .max }
        // One millisecond more, since what is below one is cut off and would wake the thread too early.
        return Int32(clamping: max(0, (next - now).wholeMilliseconds + 1))
    }
}

extension Array {
    fileprivate mutating func takeAll() -> [Element] {
        defer { removeAll() }
        return self
    }
}
