/// The manual cause: set by a person, in force once it is durable and until its removal is durable.
struct ManualSwitch: Hashable, Codable, Sendable {
    /// What is in force, as it is stored on disk.
    enum Position: Hashable, Codable, Sendable {
        case off
        case on(ManualFlag)
        /// The file cannot be read: the terminal stays offline until a person switches it.
        case corrupt(detail: String)
    }

    private enum State: Hashable, Codable, Sendable {
        /// No write is pending. Leaves to `saving` on a request.
        case settled
        /// The request's flag is being written. Leaves to `settled` when it is durable or failed.
        case saving(ManualRequest)
    }

    /// The most requests that wait for the disk: more than the people at one till. The others are refused.
    static let capacity = 16

    private(set) var position: Position
    private var state = State.settled
    private var waiting: [ManualRequest] = []
    /// Counts changes of what is in force.
    private(set) var revision: UInt64 = 0

    init(found: ManualFlagOnDisk) {
        switch found {
        case .absent: position = .off
        case .set(let flag): position = .on(flag)
        case .corrupt(let detail): position = .corrupt(detail: detail)
        }
    }

    var isOn: Bool {
        switch position {
        case .off: false
        case .on, .corrupt: true
        }
    }

    var status: ManualStatus {
        switch position {
        case .off: ManualStatus(isOn: false, since: nil, by: nil, reason: nil)
        case .on(let flag): ManualStatus(isOn: true, since: flag.since, by: flag.by, reason: flag.reason)
        case .corrupt: ManualStatus(isOn: true, since: nil, by: nil, reason: "flag_corrupt")
        }
    }

    mutating func requested(_ request: ManualRequest) -> [OfflineEffect] {
        switch state {
        case .settled: return save(request)
        case .saving:
            guard waiting.count < Self.capacity else {
                return [.refuseManual(ticket: request.ticket, .tooManyWaiting)]
            }
            waiting.append(request)
            return []
        }
    }

    mutating func saved(ticket: UInt64) -> [OfflineEffect] {
        switch state {
        case .settled: return []
        case .saving(let request):
            guard request.ticket == ticket else { return [] }
            position = request.flag.map(Position.on) ?? .off
            revision += 1
            return [.confirmManual(ticket: ticket, status)] + next()
        }
    }

    mutating func saveFailed(ticket: UInt64, _ error: ManualFlagError) -> [OfflineEffect] {
        switch state {
        case .settled: return []
        case .saving(let request):
            guard request.ticket == ticket else { return [] }
            return [.refuseManual(ticket: ticket, .notSaved(error))] + next()
        }
    }

    private mutating func next() -> [OfflineEffect] {
        state = .settled
        return waiting.isEmpty ? [] : save(waiting.removeFirst())
    }

    private mutating func save(_ request: ManualRequest) -> [OfflineEffect] {
        let kept = ManualRequest(ticket: request.ticket, flag: request.flag.map(keepingSince))
        state = .saving(kept)
        return [.saveManualFlag(kept.flag, ticket: kept.ticket)]
    }

    /// A flag that is set again keeps the time at which it was first set.
    private func keepingSince(_ flag: ManualFlag) -> ManualFlag {
        switch position {
        case .off, .corrupt: flag
        case .on(let held): ManualFlag(since: held.since, by: flag.by, reason: flag.reason)
        }
    }
}
