import Base
import Foundation
import Logging
import Synchronization
import TestKit
import Testing

@testable import HubServer

@Suite("The hub's certificate")
struct CertificateFilesTests {
    /// The lines that a logger got.
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func logger() -> Logger { Logger(label: "test") { _ in Recorder(lines: self) } }

        private struct Recorder: LogHandler {
            let lines: Lines
            var metadata: Logger.Metadata = [:]
            var logLevel = Logger.Level.trace

            subscript(metadataKey key: String) -> Logger.Metadata.Value? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }

            func log(event: LogEvent) {
                lines.lines.withLock { $0.append("\(event.level) \(event.message)") }
            }
        }
    }

    private func pair(
        _ name: String, in folder: TemporaryFolder, days: Int = 30
    ) throws -> TLSFiles {
        let files = TLSFiles(certificate: folder.path(name + ".pem"), key: folder.path(name + ".key"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "\(days)",
            "-subj", "/CN=localhost", "-keyout", files.key, "-out", files.certificate,
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: files.key)
        return files
    }

    @Test("A pair that has ended does not take the place of one that is valid; the log says why")
    func ended() throws {
        let folder = try TemporaryFolder()
        let (served, old) = (
            try pair("served", in: folder, days: 300), try pair("old", in: folder, days: 30)
        )
        let lines = Lines()
        let later = Int64(Date().timeIntervalSince1970 * 1_000) + 100 * 86_400_000
        let files = try CertificateFiles(served, now: { later }, logger: lines.logger())
        let end = files.end
        try copy(old.key, to: served.key)
        try copy(old.certificate, to: served.certificate)
        files.renewIfChanged()
        #expect(files.end == end)
        #expect(lines.all.count == 1 && lines.all[0].contains("and not now"))
        // Where none is valid the renewed one is as good, and a hub without TLS would be worse.
        let both = try CertificateFiles(
            try pair("one", in: folder), now: { later + 1_000 * 86_400_000 }, logger: lines.logger())
        #expect(both.end > 0)
    }

    @Test("A pair that is not valid yet is taken once it is, without a change of the files")
    func early() throws {
        let folder = try TemporaryFolder()
        let (served, fresh) = (try pair("served", in: folder), try pair("fresh", in: folder))
        let tomorrow = Int64(Date().timeIntervalSince1970 + 86_400) * 1_000
        try renew(fresh, from: tomorrow)
        let time = Mutex(Int64(Date().timeIntervalSince1970 * 1_000))
        let lines = Lines()
        let files = try CertificateFiles(
            served, now: { time.withLock { $0 } }, logger: lines.logger())
        let end = files.end
        try copy(fresh.key, to: served.key)
        try copy(fresh.certificate, to: served.certificate)
        for _ in 0..<2 { files.renewIfChanged() }
        #expect(files.end == end && lines.all.count == 1)
        time.withLock { $0 = tomorrow }
        files.renewIfChanged()
        #expect(files.end > end && lines.all.last == "notice the certificate was renewed")
    }

    /// Replaces a pair's certificate by one of the same key that is valid from a moment on.
    private func renew(_ files: TLSFiles, from moment: Int64) throws {
        let folder = URL(fileURLWithPath: files.certificate).deletingLastPathComponent().path
        let settings = """
            [ca]
            default_ca = one
            [one]
            database = \(folder)/index
            new_certs_dir = \(folder)
            default_md = sha256
            rand_serial = yes
            policy = any
            [any]
            commonName = supplied
            """
        try settings.write(toFile: folder + "/ca", atomically: true, encoding: .utf8)
        try "".write(toFile: folder + "/index", atomically: true, encoding: .utf8)
        func time(_ milliseconds: Int64) -> String {
            Timestamp.text(milliseconds: milliseconds).prefix(19)
                .filter { $0.isNumber } + "Z"
        }
        let request = folder + "/request"
        try Command.run([
            "openssl", "req", "-new", "-key", files.key, "-subj", "/CN=localhost", "-out", request,
        ])
        try Command.run([
            "openssl", "ca", "-batch", "-notext", "-selfsign", "-config", folder + "/ca", "-keyfile",
            files.key, "-in", request, "-startdate", time(moment), "-enddate",
            time(moment + 90 * 86_400_000), "-out", files.certificate,
        ])
    }

    private func copy(_ path: String, to other: String) throws {
        try FileManager.default.removeItem(atPath: other)
        try FileManager.default.copyItem(atPath: path, toPath: other)
    }

    @Test("A key of another certificate is refused at the start by both names")
    func mismatch() throws {
        let folder = try TemporaryFolder()
        let (one, other) = (try pair("one", in: folder), try pair("other", in: folder))
        let mixed = TLSFiles(certificate: one.certificate, key: other.key)
        #expect(throws: CertificateError.mismatched(certificate: one.certificate, key: other.key)) {
            try CertificateFiles(mixed, logger: Lines().logger())
        }
        #expect(throws: CertificateError.self) {
            try CertificateFiles(TLSFiles(certificate: one.key, key: one.key), logger: Lines().logger())
        }
    }

    @Test(
        "A renewed pair is taken once both files are of it; until then the one before serves on, and the log says why"
    )
    func renewal() throws {
        let folder = try TemporaryFolder()
        let (served, fresh) = (try pair("served", in: folder), try pair("fresh", in: folder))
        let lines = Lines()
        let files = try CertificateFiles(served, logger: lines.logger())
        try copy(fresh.key, to: served.key)
        files.renewIfChanged()
        files.renewIfChanged()
        #expect(lines.all.count == 1)
        #expect(lines.all.first?.hasPrefix("warning the changed certificate is not used") == true)
        #expect(lines.all.first?.contains(served.key) == true)
        try Data("half".utf8).write(to: URL(fileURLWithPath: served.certificate))
        files.renewIfChanged()
        #expect(lines.all.count == 2)
        try copy(fresh.certificate, to: served.certificate)
        files.renewIfChanged()
        #expect(lines.all.last == "notice the certificate was renewed")
    }
}
