import Foundation
import TestKit

/// An authority and certificates for `localhost`, made with `openssl`, and servers that show them.
final class CertificateFolder: Sendable {
    private let folder: TemporaryFolder

    static let isAvailable = (try? Command.run(["openssl", "version"])) != nil

    init() throws {
        folder = try TemporaryFolder()
        try openssl(
            ["req", "-x509", "-nodes", "-subj", "/CN=Test authority", "-days", "2"]
                + newKey("authority") + ["-out", authority])
        try make("good", days: "2")
        try make("expired", days: "-1")
        let response = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
        try response.write(toFile: folder.path("answer"), atomically: true, encoding: .utf8)
    }

    /// The authority's certificate.
    var authority: String { folder.path("authority.pem") }

    /// A TLS server with the certificate `name` on a free port, until the result goes.
    func serve(_ name: String) throws -> TLSServer {
        try TLSServer(
            directory: folder.url, certificate: folder.path("\(name).pem"), key: folder.path("\(name).key"))
    }

    private func make(_ name: String, days: String) throws {
        let request = folder.path("\(name).csr")
        try openssl(
            ["req", "-new", "-nodes", "-subj", "/CN=localhost"] + newKey(name) + ["-out", request])
        let extensions = folder.path("\(name).ext")
        try "subjectAltName=DNS:localhost\n".write(toFile: extensions, atomically: true, encoding: .utf8)
        try openssl([
            "x509", "-req", "-in", request, "-CA", authority, "-CAkey", folder.path("authority.key"),
            "-CAcreateserial", "-days", days, "-extfile", extensions, "-out", folder.path("\(name).pem"),
        ])
    }

    private func newKey(_ name: String) -> [String] {
        ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-keyout", folder.path("\(name).key")]
    }

    private func openssl(_ arguments: [String]) throws {
        try Command.run(["openssl"] + arguments)
    }
}

/// `openssl s_server`, killed by its process id when this goes.
final class TLSServer: Sendable {
    private let program: ProgramUnderTest
    let port: UInt16

    init(directory: URL, certificate: String, key: String) throws {
        program = try ProgramUnderTest(
            command: [
                "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key, "-HTTP",
            ], in: directory.path)
        let address = try program.line(startingWith: "ACCEPT")
        port = address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
    }
}
