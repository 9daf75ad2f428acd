internal import CurlTransport
internal import Foundation
internal import HubProtocol
internal import LinuxNetwork
internal import OfflineCore
internal import OfflineMode
internal import TerminalStore

/// Readiness for an outage: what would trouble the till when the network goes.
struct Doctor {
    let parts: AgentParts

    /// Thirty days before its sunset a version is no longer ready for what comes, in milliseconds.
    private static let longNotice: Int64 = 30 * 86_400_000

    func examine() async -> JSONValue {
        let checks =
            [
                await catalogue(), await store(), outbox(await depth()), disk(), ping(), clock(), flag(),
                version(),
            ] + (await copyChecks())
        return [
            "ready": .bool(checks.allSatisfy { $0["ok"]?.bool == true }), "checks": .array(checks),
        ]
    }

    func check(_ name: String, _ isFine: Bool, _ detail: String) -> JSONValue {
        ["name": .string(name), "ok": .bool(isFine), "detail": .string(detail)]
    }

    private func catalogue() async -> JSONValue {
        let count = (try? await parts.catalogue.count()) ?? 0
        return check(
            "catalogue", count > 0,
            count > 0
                ? "\(count) articles on this disk"
                : "no articles; import some at the hub, then `pos sync now`")
    }

    private func store() async -> JSONValue {
        let problems = await parts.database.verify()
        return check(
            "store", problems.isEmpty,
            problems.isEmpty
                ? "every page and every link of the journal is intact" : problems.joined(separator: "; "))
    }

    private func depth() async -> OutboxDepth? {
        try? await parts.outbox.depth()
    }

    private func outbox(_ depth: OutboxDepth?) -> JSONValue {
        guard let depth else { return check("outbox", false, "cannot be read") }
        let age = depth.oldestMadeAt.map { (parts.time.wallMilliseconds() - $0) / 3_600_000 } ?? 0
        let isFine = depth.rejected == 0 && depth.conflicted == 0 && age < 24
        return check(
            "outbox", isFine,
            "\(depth.pending) pending, the oldest \(age) h old, \(depth.rejected) rejected, "
                + "\(depth.conflicted) in conflict")
    }

    private func disk() -> JSONValue {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: parts.home.path)
        let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
        return check("disk", free > 256 << 20, "\(free >> 20) MiB free; sales stop when the disk is full")
    }

    private func ping() -> JSONValue {
        guard parts.pinger != nil else {
            return check("ping", true, "not used: the hub is on this machine")
        }
        let permission = ICMPPermission()
        return check("ping", permission.isGranted, "\(permission)")
    }

    private func clock() -> JSONValue {
        let now = parts.time.wallMilliseconds()
        let floor: Int64 = 1_750_000_000_000
        return check(
            "clock", now > floor, "\(Timestamp.text(milliseconds: now)) UTC; numbers never go back with it")
    }

    private func version() -> JSONValue {
        switch parts.schema.word {
        case .welcome:
            return check("version", true, "\(TerminalVersion.current); the hub has nothing against it")
        case .retiring(let notice):
            let date = Timestamp.text(milliseconds: notice.sunsetAt).prefix(10)
            let isFar = notice.sunsetAt - parts.time.wallMilliseconds() > Self.longNotice
            return check(
                "version", isFar,
                "warning: the hub answers \(TerminalVersion.current) until \(date); update before then")
        case .refused:
            return check(
                "version", false,
                "the hub answers \(TerminalVersion.current) no more; update, sales are kept until then")
        }
    }

    private func flag() -> JSONValue {
        let manual = parts.offline.status.manual
        guard manual.isOn else { return check("manual switch", true, "off") }
        return check(
            "manual switch", manual.reason != "flag_corrupt", "on: \(manual.reason ?? "no reason given")")
    }
}
