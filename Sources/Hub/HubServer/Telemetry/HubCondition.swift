internal import Base
internal import Foundation
internal import Glibc
internal import HubCore
internal import HubProtocol
internal import Logging

/// What ends or fills up beside a hub's store, as the doctor and the metrics read it, and from when on
/// somebody has to act.
package struct HubCondition: Sendable {
    let configuration: HubConfiguration

    /// 1 GiB: the space of some 250,000 sales. Half of it is less than a week of a large shop's, twice as
    /// much is more than many small machines have.
    static let freeBytes: Int64 = 1 << 30
    /// A backup a day, with a day for the one that failed.
    static let backupMilliseconds: Int64 = 2 * 86_400_000
    /// As long as authorities give to renew.
    static let certificateMilliseconds: Int64 = 21 * 86_400_000
    /// Who has to put a new token into a program gets two weeks; half of it is over in a vacation.
    static let tokenMilliseconds: Int64 = 14 * 86_400_000

    /// The files of the store; nil where the store is a server.
    var paths: StorePaths? {
        switch configuration.store {
        case .sqlite(let path): StorePaths(ledger: path)
        case .postgresql: nil
        }
    }

    /// Free space where the files of the store are.
    static func freeBytes(beside paths: StorePaths) throws -> Int64 { try freeBytes(in: folder(of: paths)) }

    /// Free space of the disk that a folder is on, as far as a user who is not root may use it.
    package static func freeBytes(in folder: String) throws -> Int64 {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else {
            throw FolderProblem(text: String(cString: strerror(errno)))
        }
        return Int64(clamping: status.f_bavail) * Int64(clamping: status.f_frsize)
    }

    static func folder(of paths: StorePaths) -> String {
        URL(fileURLWithPath: paths.ledger).deletingLastPathComponent().path
    }

    struct FolderProblem: Error, CustomStringConvertible {
        let text: String
        var description: String { text }
    }

    /// When the last backup was made, in milliseconds since 1970, and where it was written; nil without any.
    static func lastBackup(of paths: StorePaths) -> (madeAt: Int64, file: String)? {
        guard let bytes = try? PrivateFile.read(paths.lastBackup), let json = try? JSONParser.parse(bytes),
            let madeAt = json["madeAt"]?.string.flatMap(Timestamp.milliseconds(of:))
        else { return nil }
        return (madeAt, json["file"]?.string ?? "")
    }

    /// When the certificate ends that the files hold, in milliseconds since 1970; nil without TLS.
    ///
    /// - Throws: a ``CertificateError`` where the pair cannot be used.
    func certificateEnd() throws(CertificateError) -> Int64? {
        guard let files = configuration.tls else { return nil }
        return try CertificateFiles(files, logger: Logger(label: "certificate")).end
    }
}

/// The same as figures.
struct ConditionFigures {
    let condition: HubCondition

    private static let free = "holdfast_disk_free_bytes"
    private static let backup = "holdfast_backup_timestamp_seconds"
    private static let usable = "holdfast_certificate_usable"
    private static let end = "holdfast_certificate_end_timestamp_seconds"

    func add(to page: inout MetricPage) {
        page.declare(Self.free, .gauge, "Free space where the files of the store are.")
        page.declare(Self.backup, .gauge, "When the last backup was made; 0 where none was made.")
        page.declare(Self.usable, .gauge, "Whether key and certificate on the disk fit and can be read.")
        page.declare(
            Self.end, .gauge, "When the certificate on the disk ends; absent where it is not usable.")
        if let paths = condition.paths {
            if let free = try? HubCondition.freeBytes(beside: paths) { page.add(Self.free, Double(free)) }
            page.add(Self.backup, Double(HubCondition.lastBackup(of: paths)?.madeAt ?? 0) / 1_000)
        }
        guard condition.configuration.tls != nil else { return }
        let end = try? condition.certificateEnd()
        page.add(Self.usable, end == nil ? 0 : 1)
        if let end { page.add(Self.end, Double(end) / 1_000) }
    }
}

/// The tokens of programs: who has a password does not need the token.
struct TokenFigures {
    let operators: [OperatorRecord]

    private static let end = "holdfast_operator_token_end_timestamp_seconds"

    func add(to page: inout MetricPage) {
        page.declare(Self.end, .gauge, "When the token ends of an operator that has no password.")
        for (name, end) in OperatorRecord.endingTokens(of: operators).prefix(MetricPage.mostKeys) {
            page.add(Self.end, Double(end) / 1_000, [("operator", name)])
        }
    }
}

extension OperatorRecord {
    /// The operators who can come in by their token alone, with when it ends, the first to end first.
    static func endingTokens(of operators: [OperatorRecord]) -> [(name: String, end: Int64)] {
        operators.filter { $0.passwordHash == nil }
            .compactMap { record in record.tokenExpiresAt.map { (record.name, $0) } }
            .sorted { ($0.1, $0.0) < ($1.1, $1.0) }
    }
}
