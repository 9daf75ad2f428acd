internal import Dispatch
internal import HubProtocol
import Base
package import OfflineCore
import OfflineMode

/// The manual flag as `<home>/manual-offline.json`: `{"by":…,"reason":…,"since":"<RFC 3339>"}`.
///
/// Durable before ``save(_:)`` returns. Any other content counts as corrupt, an empty file too: a terminal
/// that was switched offline stays offline until a person ends it.
package struct ManualFlagFile: ManualFlagStorage {
    /// Where the flag is.
    package let path: String
    private let quarantine: QuarantineFolder
    /// Waits for the disk, so that no task has to.
    private let queue = DispatchQueue(label: "manual-flag")

    /// Makes the access to the flag of the data folder `home`; reads nothing yet.
    package init(home: String) {
        path = home + "/manual-offline.json"
        quarantine = QuarantineFolder(home: home)
    }

    /// Waits for the disk on the caller's thread.
    package func load() -> ManualFlagOnDisk {
        if PlantedBug.manualFlagNotRead.isPlanted { return .absent }
        switch DurableFile.read(path) {
        case .absent: return .absent
        case .unreadable(let detail): return .corrupt(detail: "\(path): \(detail)")
        case .bytes(let bytes):
            guard let flag = Self.flag(in: bytes) else {
                return .corrupt(detail: "\(path): no flag in its \(bytes.count) bytes")
            }
            return .set(flag)
        }
    }

    /// Replaces or removes the file durably; a corrupt one of before stays in `<home>/quarantine`.
    package func save(_ flag: ManualFlag?) async throws(ManualFlagError) {
        if PlantedBug.manualFlagSavedLate.isPlanted {
            return queue.asyncAfter(deadline: .now() + 60) {
                if let flag { try? set(flag) } else { try? clear() }
            }
        }
        let result: Result<Void, FileError> = await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(
                    returning: Result { () throws(FileError) in
                        if let flag { try set(flag) } else { try clear() }
                    })
            }
        }
        do {
            try result.get()
        } catch {
            throw .notDurable(path: error.path, call: error.call, code: error.code)
        }
    }

    private func set(_ flag: ManualFlag) throws(FileError) {
        if case .corrupt = load() { try quarantine.keepCopy(of: path) }
        let document: JSONValue = [
            "since": .string(Timestamp.text(milliseconds: flag.since)), "by": JSONValue(flag.by),
            "reason": JSONValue(flag.reason),
        ]
        try DurableFile.replace(path, with: document.canonicalBytes + [0x0A], temporaryName: ".flag.tmp")
    }

    private func clear() throws(FileError) {
        switch load() {
        case .absent: return
        case .set: try DurableFile.remove(path)
        case .corrupt: try quarantine.moveIn(path)
        }
    }

    private static func flag(in bytes: [UInt8]) -> ManualFlag? {
        guard let document = try? JSONParser.parse(bytes), let text = document["since"]?.string,
            let since = Timestamp.milliseconds(of: text)
        else { return nil }
        return ManualFlag(since: since, by: document["by"]?.string, reason: document["reason"]?.string)
    }
}
