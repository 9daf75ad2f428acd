import Base

internal import Foundation
internal import Glibc
internal import HubCore
package import HubProtocol
internal import HubStore
internal import HubStorePostgres
internal import HubStoreSQLite
internal import Logging
internal import LinuxRuntime
internal import MachineRuntime

/// Looks for what will stop a hub, or lose something, before it does. It changes nothing.
package struct HubDoctor: Sendable {
    private let configuration: HubConfiguration
    private let isServed: Bool
    private let now: Int64

    private struct Check {
        let name: String
        let isOk: Bool
        let detail: String
        /// What to do; nil for a check that passed.
        let fix: String?

        static func passed(_ name: String, _ detail: String) -> Check {
            Check(name: name, isOk: true, detail: detail, fix: nil)
        }

        static func failed(_ name: String, _ detail: String, _ fix: String) -> Check {
            Check(name: name, isOk: false, detail: detail, fix: fix)
        }
    }

    /// - Parameter isServed: whether a hub responds on the store's local socket.
    package init(_ configuration: HubConfiguration, isServed: Bool) {
        self.configuration = configuration
        self.isServed = isServed
        now = LinuxSystemTime.hub.wallMilliseconds()
    }

    /// `{"ready","checks":[{"name","ok","detail","fix"}]}`.
    package func examine() -> JSONValue {
        var checks: [Check]
        switch configuration.store {
        case .sqlite(let path): checks = file(StorePaths(ledger: path))
        case .postgresql(let url): checks = database(url)
        }
        checks.append(certificate())
        return [
            "ready": .bool(checks.allSatisfy(\.isOk)),
            "checks": .array(
                checks.map { check in
                    var members: JSONObject = [
                        "name": .string(check.name), "ok": .bool(check.isOk), "detail": .string(check.detail),
                    ]
                    members["fix"] = check.fix.map(JSONValue.string)
                    return .object(members)
                }),
        ]
    }

    private func file(_ paths: StorePaths) -> [Check] {
        let summary: SQLiteStoreSummary
        do throws(LedgerError) {
            guard FileManager.default.fileExists(atPath: paths.ledger) else {
                return [
                    .failed(
                        "store", "there is none at \(paths.ledger)",
                        "name it with --store or --config; a new hub makes it at its first start")
                ]
            }
            summary = try SQLiteStoreSummary(path: paths.ledger)
        } catch {
            return [
                .failed(
                    "store", "\(error)", "run the command as the hub's user; `pos-hub check` reads every page"
                )
            ]
        }
        return [
            store(summary, paths), running(), keys(summary, paths), owner(paths), space(paths), backup(paths),
            terminals(summary), tokens(summary.tokens),
        ]
    }

    private func store(_ summary: SQLiteStoreSummary, _ paths: StorePaths) -> Check {
        guard summary.schema <= SQLiteStoreSummary.knownSchema else {
            return newer(summary.schema, paths.ledger)
        }
        let restored = summary.restoredAt.map { ", restored at \(Timestamp.text(milliseconds: $0))" } ?? ""
        return .passed("store", "\(paths.ledger), schema \(summary.schema)\(restored)")
    }

    private func newer(_ schema: Int, _ place: String) -> Check {
        .failed(
            "store", "\(place) has schema \(schema), which this program does not know",
            "install the version that wrote it")
    }

    private func running() -> Check {
        isServed
            ? .passed("hub", "it responds on its local socket")
            : .failed("hub", "no hub responds on the local socket", "start it: systemctl start pos-hub")
    }

    private func keys(_ summary: SQLiteStoreSummary, _ paths: StorePaths) -> Check {
        let file = HubKeyFile(configured: configuration.keysFolder, beside: paths)
        do {
            guard case .keys(let ring) = try file.read() else {
                guard summary.publicKeys != nil else { return .passed("keys", "made at the first start") }
                throw HubKeyError.lost(ids: [], place: file.path)
            }
            let known = try summary.publicKeys.map { try HubKeyRing(json: JSONParser.parse($0.utf8)) }
            let missing = ring.missing(of: known ?? HubKeyRing())
            guard missing.isEmpty else { throw HubKeyError.lost(ids: missing, place: file.path) }
            return .passed("keys", "\(ring.entries.count) in \(file.path)")
        } catch {
            return .failed(
                "keys", "\(error)", "put the keys of the last backup in place before the next start")
        }
    }

    /// Whether every file of the hub is its owner's alone, and the owner's of the folder.
    private func owner(_ paths: StorePaths) -> Check {
        let folder = URL(fileURLWithPath: paths.ledger).deletingLastPathComponent()
        let name = URL(fileURLWithPath: paths.ledger).lastPathComponent
        var folderStatus = stat()
        stat(folder.path, &folderStatus)
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for file in files.sorted() where file.hasPrefix(name) {
            var status = stat()
            let path = folder.appendingPathComponent(file).path
            guard lstat(path, &status) == 0 else { continue }
            if status.st_uid != folderStatus.st_uid {
                return .failed(
                    "files", "\(path) belongs to another user than its folder",
                    "chown --reference=\(folder.path) \(path)")
            }
            if status.st_mode & 0o077 != 0 {
                return .failed("files", "\(path) can be opened by others", "chmod go-rwx \(path)")
            }
        }
        return .passed("files", "the owner's alone")
    }

    private func space(_ paths: StorePaths) -> Check {
        let folder = HubCondition.folder(of: paths)
        do {
            let free = try HubCondition.freeBytes(beside: paths)
            let text = "\(free >> 20) MiB free in \(folder)"
            return free >= HubCondition.freeBytes
                ? .passed("disk", text)
                : .failed("disk", text, "make room: without any the terminals keep their sales")
        } catch {
            return .failed("disk", "\(error)", "look at the folder \(folder)")
        }
    }

    private func backup(_ paths: StorePaths) -> Check {
        let fix = "pos-hub backup --into FOLDER, every day, on another machine's disk"
        guard let (madeAt, file) = HubCondition.lastBackup(of: paths) else {
            return .failed("backup", "none was made with `pos-hub backup`", fix)
        }
        let detail = "the last one is of \(Timestamp.text(milliseconds: madeAt)), \(file)"
        return now - madeAt <= HubCondition.backupMilliseconds
            ? .passed("backup", detail) : .failed("backup", detail, fix)
    }

    /// Of programs: who has a password does not need the token.
    private func tokens(_ tokens: [(name: String, end: Int64)]) -> Check {
        let ending = tokens.filter { $0.end - now <= HubCondition.tokenMilliseconds }
        guard !ending.isEmpty else { return .passed("tokens", "none ends within two weeks") }
        let named = ending.prefix(5).map { name, end in
            "that of \(name) \(end > now ? "ends" : "ended") \(Timestamp.text(milliseconds: end))"
        }
        return .failed(
            "tokens", named.joined(separator: ", ") + (ending.count > named.count ? ", and more" : ""),
            "`pos-hub operator add NAME --role ROLE` gives a new one, `operator remove NAME` ends it")
    }

    private func terminals(_ summary: SQLiteStoreSummary) -> Check {
        summary.unconfirmed == 0
            ? .passed("terminals", "none waits for a confirmation")
            : .failed(
                "terminals", "\(summary.unconfirmed) came back to a restored hub unconfirmed",
                "`pos-hub terminals list`, then `terminals confirm ID` or `terminals revoke ID`")
    }

    private func database(_ url: String) -> [Check] {
        let place = StoreLocation.postgresql(url: url).shown
        do throws(LedgerError) {
            guard let schema = try PostgresStoreSummary.schema(of: url) else {
                return [.passed("store", "\(place), without tables yet: the first start makes them")]
            }
            guard schema <= PostgresStoreSummary.knownSchema else { return [newer(schema, place)] }
            return [
                .passed("store", "\(place), schema \(schema)"),
                tokens(try PostgresStoreSummary.tokens(of: url)),
            ]
        } catch {
            return [.failed("store", "\(error)", "look at the server, the address and the rights")]
        }
    }

    private func certificate() -> Check {
        guard let files = configuration.tls else {
            return configuration.insecurity.map { .failed("certificate", $0, "set tls in the configuration") }
                ?? .passed("certificate", "none is needed on \(configuration.listen)")
        }
        do {
            let end = try HubCondition(configuration: configuration).certificateEnd() ?? 0
            let text = "\(files.certificate) ends \(Timestamp.text(milliseconds: end))"
            return end - now > HubCondition.certificateMilliseconds
                ? .passed("certificate", text)
                : .failed("certificate", text, "renew it; the hub reads the new files within a second")
        } catch {
            return .failed(
                "certificate", "\(error)",
                "the hub's user has to be able to read both files, and the key has to be the certificate's")
        }
    }
}
