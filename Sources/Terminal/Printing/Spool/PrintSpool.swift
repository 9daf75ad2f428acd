package import Base

/// Decides which paper is printed when.
///
/// One job at a time, in the order in which they came. A printer that takes nothing is tried again after 1,
/// 2, 4, 8 and then every 10 seconds, and at once for a new job. A job of which no byte was sent waits for 15
/// minutes and is then left to a person, since its customer has gone. A job that was interrupted is never
/// sent again by the machine: it could be on paper already, and two receipts are two rights to a refund. A
/// person may have it printed as a copy.
///
/// The drawer opens with the first attempt within 10 seconds after the sale and never later.
package struct PrintSpool: Machine, Sendable {
    /// What happened to the papers and the printer.
    package enum Event: Hashable, Sendable {
        /// A job is in the spool, new or from before the agent's start.
        case jobSpooled(id: String, state: PrintJob.State, age: Duration, opensDrawer: Bool)
        /// The attempt of ``Effect/print(id:opensDrawer:)`` ended.
        case attemptEnded(id: String, PrintOutcome)
        /// A person wants what was interrupted or has failed on paper; nil: all of it.
        case retryRequested(id: String?)
        /// ``PrintSpool/deadline`` may have come.
        case timeAdvanced
    }

    /// What the service has to do, in this order.
    package enum Effect: Hashable, Sendable {
        /// Send the job. The state `printing` is on the disk before its first byte is sent.
        case print(id: String, opensDrawer: Bool)
        /// Put the job's state on the disk.
        case record(id: String, PrintJob.State)
        /// The same as waiting, and the job is a copy from now on.
        case recordAsCopy(id: String)
        /// The job is printed: remove its file.
        case remove(id: String)
    }

    /// What is known of the printer by the last attempt.
    package enum Printer: Hashable, Sendable {
        /// No attempt was made yet.
        case untried
        case ready(PaperState)
        /// Nothing is printed until this ends.
        case faulty(PrinterFault)
    }

    /// A job, and what may become of it.
    private struct Entry {
        let id: String
        var state: PrintJob.State
        /// When a waiting job fails.
        var expiresAt: Instant
        /// Until when the drawer may open with it; nil: not with this job, or it has opened.
        var drawerUntil: Instant?
    }

    /// What the last attempt showed of the printer.
    package private(set) var printer = Printer.untried
    private var entries: [Entry] = []
    /// The job that is being sent.
    private var current: String?
    /// Nothing is sent before; nil: the last attempt went well.
    private var pausedUntil: Instant?
    private var failures = 0

    /// Halved, a roll that is changed slowly costs receipts; doubled, a printer that comes back prints what
    /// nobody waits for any more.
    static let longestWait = Duration.seconds(15 * 60)
    /// Halved, a printer that wakes up slowly leaves the drawer shut; doubled, it opens while the next
    /// customer is served.
    static let drawerTime = Duration.seconds(10)
    /// Halved, a printer that is off is called 12 times a minute; doubled, the cashier waits with the new
    /// roll.
    static let longestPause = Duration.seconds(10)

    /// An empty spool whose printer nobody has tried.
    package init() {}

    /// The states of all jobs that are in the spool, in their order.
    package var jobs: [(id: String, state: PrintJob.State)] {
        entries.map { ($0.id, $0.id == current ? .printing : $0.state) }
    }

    /// When the waiting paper is tried again or given up; nil while none waits.
    package var deadline: Instant? {
        let waiting = entries.filter { $0.state == .waiting && $0.id != current }
        guard !waiting.isEmpty else { return nil }
        let expiry = waiting.map(\.expiresAt).min()
        guard current == nil, let pausedUntil else { return expiry }
        return min(pausedUntil, expiry ?? pausedUntil)
    }

    /// Takes one event at its moment. Events may come early or repeatedly.
    package mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        var effects: [Effect] = []
        switch event {
        case .jobSpooled(let id, let state, let age, let opensDrawer):
            effects = add(id, state, age, opensDrawer, now)
        case .attemptEnded(let id, let outcome):
            guard id == current else { return [] }
            current = nil
            effects = conclude(id, outcome, now)
        case .retryRequested(let id):
            effects = retry(id, now)
        case .timeAdvanced:
            break
        }
        return effects + expire(now) + printNext(now)
    }

    private mutating func add(
        _ id: String, _ state: PrintJob.State, _ age: Duration, _ opensDrawer: Bool, _ now: Instant
    ) -> [Effect] {
        guard !entries.contains(where: { $0.id == id }) else { return [] }
        // What was being sent when the agent stopped is on paper, or not, or in part.
        let begun = state == .printing
        entries.append(
            Entry(
                id: id, state: begun ? .interrupted : state,
                expiresAt: now + Self.longestWait - max(.zero, age),
                drawerUntil: opensDrawer ? now + Self.drawerTime : nil))
        if state == .waiting { pausedUntil = nil }
        return begun ? [.record(id: id, .interrupted)] : []
    }

    private mutating func conclude(_ id: String, _ outcome: PrintOutcome, _ now: Instant) -> [Effect] {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return [] }
        entries[index].drawerUntil = nil
        switch outcome {
        case .printed(let paper):
            entries.remove(at: index)
            (printer, failures, pausedUntil) = (.ready(paper), 0, nil)
            return [.remove(id: id)]
        case .notBegun(let fault):
            pause(fault, now)
            return []
        case .interrupted(let detail):
            entries[index].state = .interrupted
            pause(.noResponse(detail), now)
            return [.record(id: id, .interrupted)]
        }
    }

    private mutating func pause(_ fault: PrinterFault, _ now: Instant) {
        printer = .faulty(fault)
        let seconds = 1 << min(failures, 10)
        failures += 1
        pausedUntil = now + min(.seconds(seconds), Self.longestPause)
    }

    private mutating func retry(_ id: String?, _ now: Instant) -> [Effect] {
        pausedUntil = nil
        var effects: [Effect] = []
        for index in entries.indices where id == nil || entries[index].id == id {
            switch entries[index].state {
            case .waiting, .printing: continue
            case .interrupted: effects.append(.recordAsCopy(id: entries[index].id))
            case .failed: effects.append(.record(id: entries[index].id, .waiting))
            }
            entries[index].state = .waiting
            entries[index].expiresAt = now + Self.longestWait
        }
        return effects
    }

    private mutating func expire(_ now: Instant) -> [Effect] {
        var effects: [Effect] = []
        for index in entries.indices
        where entries[index].state == .waiting && entries[index].id != current
            && entries[index].expiresAt <= now
        {
            entries[index].state = .failed
            effects.append(.record(id: entries[index].id, .failed))
        }
        return effects
    }

    private mutating func printNext(_ now: Instant) -> [Effect] {
        guard current == nil, pausedUntil.map({ $0 <= now }) ?? true,
            let entry = entries.first(where: { $0.state == .waiting })
        else { return [] }
        current = entry.id
        return [.print(id: entry.id, opensDrawer: entry.drawerUntil.map { now < $0 } ?? false)]
    }
}
