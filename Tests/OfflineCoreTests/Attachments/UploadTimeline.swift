import Base
import OfflineCore

/// Uploads as strings: the input is the result of each step, the output the machine's effects.
///
/// In: `.` success, `x` no response and nothing accepted, `z` no response but accepted, `e` the pre-signed
/// URL is refused, `d` the digest differs and all is deleted, `r` refused, `f` the file cannot be
/// read, `w` the store on disk fails. After the end of the input all succeeds. After each step that
/// leaves nothing pending the time advances to the machine's deadline.
///
/// Out: `L` list, `A` announce, `?` query, a digit for each send (its 16 KiB in powers of two), `F` finish,
/// `N` note.
struct UploadTimeline {
    struct Sent: Equatable {
        let id: String
        let from: Int64
        let count: Int64
    }

    var machine: UploadMachine
    /// The incomplete uploads on the till's disk.
    var uploads: [PendingUpload]
    /// How many bytes the hub has of each.
    var received: [String: Int64] = [:]
    private(set) var whole: [String] = []
    private(set) var sent: [Sent] = []
    private(set) var drawn = ""
    private(set) var now: Instant
    private var waiting: [UploadEffect] = []

    init(_ uploads: [PendingUpload], permission: UploadPermission = .everything, seed: UInt64 = 1) {
        now = at(0)
        self.uploads = uploads
        machine = UploadMachine(seed: seed, at: now)
        feed(.permissionChanged(permission))
    }

    /// Runs until nothing is pending and no deadline is left, or for `limit` steps.
    mutating func run(_ responses: String = "", limit: Int = 1_000) -> String {
        var responses = responses[...]
        for _ in 0..<limit {
            if waiting.isEmpty {
                guard let deadline = machine.deadline, whole.count < uploads.count else { break }
                now = max(now, deadline)
                feed(.deadlineReached)
                if waiting.isEmpty { break }
            }
            step(responses.popFirst() ?? ".")
        }
        return drawn
    }

    /// Sends the machine an event, and keeps its effects.
    mutating func feed(_ event: UploadEvent) {
        waiting += machine.handle(event, at: now).filter {
            if case .finishSync = $0 { false } else { true }
        }
    }

    private mutating func step(_ response: Character) {
        let effect = waiting.removeFirst()
        drawn += Self.letter(of: effect)
        switch effect {
        case .list: feed(response == "w" ? .storeFailed : .listed(uploads.filter { !whole.contains($0.id) }))
        case .announce(let id): feed(.responded(trouble(response, id) ?? .granted(chunkSize: 1 << 20)))
        case .query(let id): feed(.responded(trouble(response, id) ?? status(of: id)))
        case .send(let id, let from, let count):
            sent.append(Sent(id: id, from: from, count: count))
            let isTaken = (response == "." || response == "z") && from == received[id, default: 0]
            if isTaken { received[id] = from + count }
            feed(.responded(trouble(response, id) ?? status(of: id)))
        case .finish(let id):
            if response != "w" { whole.append(id) }
            feed(response == "w" ? .storeFailed : .written)
        case .note: feed(response == "w" ? .storeFailed : .written)
        case .finishSync: break
        }
    }

    private func status(of id: String) -> UploadResponse {
        let size = uploads.first { $0.id == id }?.size
        return received[id, default: 0] == size ? .whole : .at(received[id, default: 0])
    }

    private mutating func trouble(_ response: Character, _ id: String) -> UploadResponse? {
        switch response {
        case "x", "z": return .hubTrouble(retryAfter: nil)
        case "e": return .grantRefused
        case "d":
            received[id] = 0
            return .digestMismatch
        case "r": return .refused("413")
        case "f": return .fileTrouble("gone")
        case _: return nil
        }
    }

    private static func letter(of effect: UploadEffect) -> String {
        switch effect {
        case .list: return "L"
        case .announce: return "A"
        case .query: return "?"
        case .send(_, _, let count):
            var power = 0
            while Int64(16 << 10) << Int64(power) < count { power += 1 }
            return String(power)
        case .finish: return "F"
        case .note: return "N"
        case .finishSync: return "!"
        }
    }
}

extension PendingUpload {
    /// So many KiB; urgent with a capital letter.
    static func of(_ id: String, _ kibibytes: Int64) -> PendingUpload {
        PendingUpload(id: id, size: kibibytes << 10, isUrgent: id.first?.isUppercase ?? false)
    }
}
