internal import Base
internal import Dispatch
internal import LinuxRuntime
package import MachineRuntime
internal import Synchronization

/// The printer of a terminal: takes papers, keeps them in the spool, prints them one by one.
///
/// ``submit(opensDrawer:_:)`` returns at once and touches neither disk nor network. Files and device have
/// threads of their own, so that a printer that hangs keeps no paper from becoming durable.
package final class PrinterService: Sendable {
    /// How a driver reports what it could not do; the job goes on.
    package typealias Warning = @Sendable (String) -> Void

    private struct Entry {
        var job: PrintJob
        /// Whether the first attempt is still to come, and opens the drawer if it comes soon.
        var opensDrawer: Bool
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var damaged = 0
        var attempts = 0
        /// What was printed or discarded, before this start too: it is not taken again.
        var finished: Set<String> = []
    }

    private let device: PrinterDevice
    private let paper: PaperWidth
    private let folder: SpoolFolder
    private let time: any SystemTime
    private let warn: Warning
    private let driver: MachineDriver<PrintSpool>
    private let state = Mutex(State())
    private let disk = DispatchQueue(label: "print-spool", qos: .utility)

    /// A service that does not run yet, with the papers that lie in the spool.
    ///
    /// - Parameter isReader: whether it never runs, and leaves the files as they are.
    package convenience init(
        _ address: PrinterAddress, paper: PaperWidth, folder: SpoolFolder, time: any SystemTime,
        isReader: Bool = false, warn: @escaping Warning
    ) {
        self.init(
            PrinterDevice(address), paper: paper, folder: folder, time: time, isReader: isReader, warn: warn)
    }

    init(
        _ device: PrinterDevice, paper: PaperWidth, folder: SpoolFolder, time: any SystemTime,
        isReader: Bool = false, warn: @escaping Warning
    ) {
        self.device = device
        self.paper = paper
        self.folder = folder
        self.time = time
        self.warn = warn
        driver = MachineDriver(PrintSpool(), time: time) { [.timeAdvanced] }
        load(settingAside: !isReader)
    }

    /// Prints what the spool has and what comes, until the task is cancelled. To be called once.
    ///
    /// What waits when it is cancelled is tried once more, unless the printer was faulty: a command that sold
    /// and ends leaves its receipt on paper.
    package func run() async {
        await withDiscardingTaskGroup { group in
            await driver.run(in: &group) { _, effects, _ in
                effects.filter { !self.record($0) }
            } perform: { effect, _ in
                guard case .print(let id, let opensDrawer) = effect else { return }
                self.driver.post(.attemptEnded(id: id, await self.attempt(id, opensDrawer)))
            }
        }
        await printRest()
        await flush()
    }

    /// Has a paper printed, after everything that waits. Durable soon after it returns, not before.
    ///
    /// - Parameters:
    ///   - opensDrawer: with the first attempt, if that comes within ``PrintSpool/drawerTime``.
    ///   - make: makes the job, on the disk's thread; an identifier that waits already is the same paper.
    package func submit(opensDrawer: Bool, _ make: @escaping @Sendable () -> PrintJob) {
        disk.async {
            let job = make()
            guard self.adopt(job, opensDrawer) else { return }
            self.save(job)
            self.driver.post(
                .jobSpooled(id: job.id, state: job.state, age: .zero, opensDrawer: opensDrawer))
        }
    }

    /// Whether the paper of `id` waits or was printed, as far as notes are kept.
    package func has(_ id: String) -> Bool {
        state.withLock { $0.entries[id] != nil || $0.finished.contains(id) }
    }

    /// Has papers printed that were interrupted, as copies, or that waited too long.
    ///
    /// - Parameter id: of a job, or of an order; nil: all of them.
    /// - Returns: the jobs that are printed now; empty when there is none.
    package func retry(_ id: String?) -> [PrintJob] {
        let chosen = status.jobs.filter { job in
            (job.state == .interrupted || job.state == .failed)
                && (id == nil || job.id == id || job.orderId == id)
        }
        for job in chosen { driver.post(.retryRequested(id: job.id)) }
        return chosen
    }

    /// The printer and the papers that are not printed.
    package var status: PrinterStatus {
        let printer = driver.withMachine { $0.printer }
        return state.withLock { state in
            PrinterStatus(
                address: device.address, printer: printer,
                jobs: state.entries.values.map(\.job).sorted { $0.id < $1.id }, damaged: state.damaged,
                attempts: state.attempts)
        }
    }

    /// Requests the printer's paper state now, on a thread of its own.
    package func check() async -> Result<PaperState, PrinterFault> {
        await onThread { [device] in
            do throws(PrinterFault) { return .success(try device.check()) } catch { return .failure(error) }
        }
    }

    /// Whether `job` is new.
    private func adopt(_ job: PrintJob, _ opensDrawer: Bool) -> Bool {
        state.withLock { state in
            guard state.entries[job.id] == nil, !state.finished.contains(job.id) else { return false }
            state.entries[job.id] = Entry(job: job, opensDrawer: opensDrawer)
            return true
        }
    }

    private func load(settingAside: Bool) {
        let (found, damaged) = folder.load(settingAside: settingAside)
        let now = time.wallMilliseconds()
        let finished = settingAside ? folder.finished(now: now) : []
        state.withLock { ($0.damaged, $0.finished) = (damaged, finished) }
        if damaged > 0 { warn("\(damaged) files of the print spool are damaged") }
        for var job in found {
            driver.post(
                .jobSpooled(
                    id: job.id, state: job.state, age: .milliseconds(now - job.createdAt), opensDrawer: false)
            )
            // What was being sent when the last agent stopped is on paper, or not, or in part.
            if job.state == .printing { job.state = .interrupted }
            _ = adopt(job, false)
        }
    }

    /// From when on, in Unix milliseconds, a sale without a paper lost it by a kill between its commit and
    /// its job. Such a paper is submitted again; one that was printed, or waits, is the same paper.
    package func missedSince() -> Int64 {
        let now = time.wallMilliseconds()
        do throws(SpoolError) {
            return max(try folder.openedAt(now: now), now - PrintSpool.longestWait.wholeMilliseconds)
        } catch {
            warn("the print spool: \(error)")
            return now
        }
    }

    /// Puts an effect on the disk's thread; false for the one that the device carries out.
    private func record(_ effect: PrintSpool.Effect) -> Bool {
        switch effect {
        case .print: return false
        case .record(let id, let state): disk.async { self.change(id) { $0.state = state } }
        case .recordAsCopy(let id):
            disk.async {
                self.change(id) {
                    $0.state = .waiting
                    $0.isCopy = true
                }
            }
        case .remove(let id): disk.async { self.remove(id) }
        }
        return true
    }

    /// On the disk's thread, as all that follows up to the device.
    private func change(_ id: String, _ change: (inout PrintJob) -> Void) {
        if let job = edit(id, change) { save(job) }
    }

    private func edit(_ id: String, _ change: (inout PrintJob) -> Void) -> PrintJob? {
        state.withLock { state in
            guard state.entries[id] != nil else { return nil }
            if var job = state.entries[id]?.job {
                change(&job)
                state.entries[id]?.job = job
            }
            return state.entries[id]?.job
        }
    }

    private func save(_ job: PrintJob) {
        do throws(SpoolError) {
            try folder.save(job)
        } catch {
            warn("the print spool: \(error)")
        }
    }

    private func remove(_ id: String) {
        // In one step with the removal: a look for missing papers at this moment finds it in one of the two.
        let removed = state.withLock { state in
            guard state.entries.removeValue(forKey: id) != nil else { return false }
            state.finished.insert(id)
            return true
        }
        guard removed else { return }
        do throws(SpoolError) {
            try folder.finish(id)
        } catch {
            warn("the print spool: \(error)")
        }
    }

    /// From now on a stop of the agent leaves an interrupted job. A disk without room still removes files:
    /// then the stop leaves none, and the job is not sent twice either.
    private func begin(_ id: String) -> Result<Void, PrinterFault> {
        guard let job = edit(id, { $0.state = .printing }) else { return .success(()) }
        do throws(SpoolError) {
            do throws(SpoolError) {
                try folder.save(job)
            } catch {
                warn("the print spool: \(error)")
                try folder.remove(id)
            }
            return .success(())
        } catch {
            return .failure(.noResponse("the print spool: \(error)"))
        }
    }

    private func attempt(_ id: String, _ opensDrawer: Bool) async -> PrintOutcome {
        let outcome = await onThread {
            Result<PrintOutcome, PrinterFault>.success(self.send(id, opensDrawer))
        }
        switch outcome {
        case .success(let outcome): return outcome
        case .failure(let fault): return .notBegun(fault)
        }
    }

    private func send(_ id: String, _ opensDrawer: Bool) -> PrintOutcome {
        // What was decided before the attempt, the mark of a copy above all, is on the disk and in memory
        // first.
        disk.sync {}
        let entry = state.withLock { state in
            defer { state.entries[id]?.opensDrawer = false }
            return state.entries[id]
        }
        guard let entry else { return .printed(.unknown) }
        let opensDrawer = opensDrawer && entry.opensDrawer
        let bytes = entry.job.bytes(for: paper, openingDrawer: opensDrawer)
        let outcome = device.print(bytes, opensDrawer: opensDrawer) { () throws(PrinterFault) in
            try disk.sync { self.begin(id) }.get()
        }
        // The machine records it as well, unless it was stopped meanwhile.
        disk.sync {
            switch outcome {
            case .printed: self.remove(id)
            case .notBegun: break
            case .interrupted: self.change(id) { $0.state = .interrupted }
            }
        }
        state.withLock { $0.attempts += 1 }
        return outcome
    }

    /// After the machine was stopped.
    private func printRest() async {
        await flush()
        if case .faulty = driver.withMachine({ $0.printer }) { return }
        for job in status.jobs where job.state == .waiting {
            guard case .printed = await attempt(job.id, true) else { return }
        }
    }

    /// Returns once all files are as they were meant to be by now.
    package func flush() async {
        await withCheckedContinuation { continuation in disk.async { continuation.resume() } }
    }

    /// A device can block for seconds, and the threads of the queues are as few as the cores.
    private func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () -> Result<Value, PrinterFault>
    ) async -> Result<Value, PrinterFault> {
        await withCheckedContinuation { continuation in
            do throws(EventLoopError) {
                try PosixThread.detach { continuation.resume(returning: body()) }
            } catch {
                continuation.resume(returning: .failure(.noResponse("no thread: error \(error.code)")))
            }
        }
    }
}

/// The printer and the papers that are not printed.
package struct PrinterStatus: Hashable, Sendable {
    /// The printer of the configuration.
    package let address: PrinterAddress
    /// By the last attempt.
    package let printer: PrintSpool.Printer
    /// In the order in which they came.
    package let jobs: [PrintJob]
    /// Files of the spool that could not be read.
    package let damaged: Int
    /// How many attempts have ended since the start.
    package let attempts: Int
}
