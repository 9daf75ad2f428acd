import Foundation
import HubProtocol
import TestKit
import Testing

@Suite("pos-hub lets operators in", .onStage, .serialized)
struct HubOperatorTests {
    @Test("A name that is not this hub's is refused, whoever sends it")
    func hosts() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("hub.json")
        try #"{"ops":{"open":true,"hosts":["hub.example"]}}"#
            .write(toFile: file, atomically: true, encoding: .utf8)
        let hub = try HubUnderTest(["--config", file], in: folder)
        func statuses(_ name: String) throws -> [Int] {
            try ["/", "/metrics", "/login"].map { path in
                let client = try hub.client()
                try client.send(Array("GET \(path) HTTP/1.1\r\nHost: \(name)\r\n\r\n".utf8))
                return try client.response().status
            }
        }
        for name in ["hub.example", "HUB.example:8080", "localhost:1", "127.9.9.9", "[::1]:80"] {
            #expect(try statuses(name) == [200, 200, 200], "\(name)")
        }
        let strange = ["evil.example", "127.0.0.1.evil.example", "hub.example.evil", "127.0.0.999"]
        for name in strange { #expect(try statuses(name) == [421, 421, 421], "\(name)") }
    }

    @Test(
        "Beyond loopback without TLS, and a far database without a verified certificate, only when accepted")
    func insecure() throws {
        let folder = try TemporaryFolder()
        func serve(_ arguments: String...) throws -> FinishedProgram {
            try ProgramUnderTest.run(
                "pos-hub", ["serve", "--store", HubUnderTest.store(in: folder)] + arguments)
        }
        let plain = try serve("--listen", "0.0.0.0:0")
        #expect(plain.exitCode == 3)
        #expect(plain.errors.first?.contains("--allow-insecure") == true)
        for url in [
            "postgresql://u@db.example/x", "postgresql:///x?host=10.0.0.9", "postgresql://u@127.0.0.1,db/x",
            "postgresql://u@db.example/x?sslmode=require", "postgresql://%64b.example/x",
        ] {
            let far = try ProgramUnderTest.run("pos-hub", ["operator", "list", "--store", url])
            #expect(far.exitCode == 3, "\(url)")
            #expect(far.errors.first?.contains("sslmode=verify-full") == true, "\(url) \(far.errors)")
        }
        let move = try ProgramUnderTest.run(
            "pos-hub",
            ["migrate", "--from", HubUnderTest.store(in: folder), "--to", "postgresql://u@db.example/x"])
        #expect(move.exitCode == 3)
    }

    @Test("A key file that every user may read is refused")
    func readableKey() throws {
        let folder = try TemporaryFolder()
        try Command.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2", "-subj", "/CN=localhost", "-keyout", folder.path("key.pem"), "-out",
            folder.path("certificate.pem"),
        ])
        try Command.run(["chmod", "644", folder.path("key.pem")])
        let end = try ProgramUnderTest.run(
            "pos-hub",
            [
                "serve", "--listen", "127.0.0.1:0", "--store", HubUnderTest.store(in: folder),
                "--tls-certificate", folder.path("certificate.pem"), "--tls-key", folder.path("key.pem"),
            ])
        #expect(end.exitCode == 3)
        #expect(end.errors.first?.contains("chmod o-rwx") == true, "\(end.errors)")
    }

    @Test(
        "TLS 1.1 and RSA key exchange are refused, 1.2 and 1.3 served; a renewed certificate is used at once")
    func tls() throws {
        let folder = try TemporaryFolder()
        func certificate(_ name: String) throws {
            try Command.run([
                "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                "/CN=\(name)", "-keyout", folder.path("key.pem"), "-out", folder.path("certificate.pem"),
            ])
            try Command.run(["chmod", "600", folder.path("key.pem")])
        }
        try certificate("first")
        let hub = try HubUnderTest(
            [
                "--tls-certificate", folder.path("certificate.pem"), "--tls-key", folder.path("key.pem"),
            ], in: folder)
        let address = String(hub.url.dropFirst("https://".count))
        func handshake(_ options: String...) -> String {
            let command =
                ["openssl", "s_client", "-connect", address, "-servername", "localhost"] + options
            let quoted = command.map { "'\($0)'" }.joined(separator: " ")
            return (try? Command.run(["sh", "-c", "echo Q | \(quoted) 2>&1 || true"])) ?? ""
        }
        #expect(handshake("-tls1_2").contains("CN = first"))
        #expect(handshake("-tls1_3").contains("TLSv1.3"))
        #expect(!handshake("-tls1_1", "-cipher", "ALL:@SECLEVEL=0").contains("CN = first"))
        #expect(!handshake("-tls1", "-cipher", "ALL:@SECLEVEL=0").contains("CN = first"))
        #expect(!handshake("-tls1_2", "-cipher", "AES128-SHA").contains("CN = first"))
        #expect(!handshake("-tls1_2", "-cipher", "ECDHE-RSA-AES128-SHA").contains("CN = first"))
        try certificate("second")
        let end = ContinuousClock.now + .seconds(20)
        var shown = ""
        while !shown.contains("CN = second"), ContinuousClock.now < end { shown = handshake("-tls1_2") }
        #expect(shown.contains("CN = second"))
        // A key that does not fit ends no handshake: the pair before serves on.
        try Command.run(["openssl", "genrsa", "-out", folder.path("key.pem"), "2048"])
        func isRefused() -> Bool {
            hub.program.errors.lines.contains { $0.contains("does not belong to the certificate") }
        }
        while !isRefused(), shown.contains("CN = second"), ContinuousClock.now < end {
            shown = handshake("-tls1_2")
        }
        #expect(isRefused() && shown.contains("CN = second"))
    }
}
