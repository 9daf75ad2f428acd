import Foundation
import Glibc
import HubProtocol
import TestKit
import Testing

/// A hub that serves https with a certificate made for the test.
@Suite("A hub behind https", .onStage, .enabled(if: TestCertificate.isPossible, TestCertificate.need))
struct SecureHubTests {
    @Test("The till enrols, pulls and sells when it trusts the hub's certificate authority")
    func trusted() throws {
        let shop = try ShopUnderTest(secured: "hub")
        try shop.initialiseTill()
        try shop.startAgent()
        try shop.waitUntilReachable()
        let sale = try shop.document("sell", "--line", Article.assortment[0].barcode)
        #expect(sale["sync"]?.string == "acknowledged")
        #expect(try shop.audit().isComplete)
        #expect(try shop.status()["hub"]?.string?.hasPrefix("https://") == true)
    }

    @Test("A till that does not trust the certificate does not enrol, and keeps its code")
    func untrusted() throws {
        let shop = try ShopUnderTest(secured: "hub")
        let code = try shop.enrolmentCode()
        let trusted = shop.settings
        shop.settings["POS_HUB_CA_FILE"] = nil
        let end = try shop.pos("init", "--hub", shop.hubURL, "--enrol", code)
        #expect(end.exitCode == 75)
        // Beside the warning that the code could be seen in the process list.
        #expect(end.errors.count { !$0.contains("warning") } == 1)
        shop.settings = trusted
        #expect(try shop.document("init", "--hub", shop.hubURL, "--enrol", code)["storeId"]?.string == "S1")
    }

    @Test("`pos init --ca-file` trusts that authority, and every later program of the till does, too")
    func authorityAtInit() throws {
        let shop = try ShopUnderTest(secured: "hub")
        let authority = try #require(shop.settings["POS_HUB_CA_FILE"])
        shop.settings["POS_HUB_CA_FILE"] = nil
        let response = try shop.document(
            "init", "--hub", shop.hubURL, "--enrol", try shop.enrolmentCode(), "--ca-file", authority)
        #expect(response["storeId"]?.string == "S1")
        let file = try JSONParser.parse(
            String(contentsOfFile: shop.home + "/terminal.json", encoding: .utf8).utf8)
        #expect(file["hub"]?["caFile"]?.string == authority)
        try shop.startAgent()
        try shop.waitUntilReachable()
        #expect(
            try shop.document("sell", "--line", Article.assortment[0].barcode)["sync"]?.string
                == "acknowledged")
    }

    @Test(
        "The till's own authority replaces the system's: a hub that one of those vouches for gets no code",
        .enabled(if: PrivateRoots.isPossible, PrivateRoots.need))
    func replacedRoots() throws {
        let shop = try ShopUnderTest(secured: "hub")
        let other = try TestCertificate("authority", in: shop.folder)
        shop.tillWrapper = try PrivateRoots.wrapper(
            trusting: shop.folder.path("hub.crt"), bundle: other.file, in: shop.folder.path("roots"))
        let code = try shop.enrolmentCode()
        shop.settings["POS_HUB_CA_FILE"] = other.file
        #expect(try shop.pos("init", "--hub", shop.hubURL, "--enrol", code).exitCode == 75)
        // The control: without an authority of its own the till trusts the system's, that one among them.
        shop.settings["POS_HUB_CA_FILE"] = nil
        #expect(try shop.document("init", "--hub", shop.hubURL, "--enrol", code)["storeId"]?.string == "S1")
    }

    @Test(
        "An expired certificate, another name and an unknown issuer each have their reason, and get no sale",
        arguments: [
            ("expired", "tlsError", false), ("other", "tlsError", true), ("foreign", "captivePortal", true),
        ])
    func reasons(name: String, reason: String, isPortal: Bool) throws {
        let shop = try ShopUnderTest(secured: "hub")
        try shop.initialiseTill()
        shop.killHub()
        try shop.secure(with: name, trusting: name != "foreign")
        try shop.startHub()
        try shop.startAgent()
        let sale = try shop.document("sell", "--line", Article.assortment[0].barcode)
        #expect(sale["sync"]?.string == "pending")
        try shop.waitUntil("offline", within: 20) { $0.causes == ["network"] }
        let status = try shop.status()
        #expect(status["connectivity"]?["state"]?.string == "localNetworkOnly")
        #expect(status["connectivity"]?["reason"]?.string == reason)
        #expect(status["connectivity"]?["captivePortalSuspected"]?.bool == isPortal)
        #expect(status.pending == 1)
        #expect(try shop.audit().received ?? 0 == 0)
        shop.killHub()
        try shop.secure(with: "hub", trusting: true)
        try shop.startHub()
        try shop.waitUntilDrained(within: 40)
        #expect(try shop.audit().orders == 1)
    }

    @Test("`pos doctor` fails for a certificate that has ended, also while the hub is gone")
    func endedCertificate() throws {
        let shop = try ShopUnderTest(secured: "hub")
        // The agent reads whom it trusts once.
        for name in ["expired", "hub"] { try shop.secure(with: name, trusting: true) }
        try shop.initialiseTill()
        try shop.startAgent()
        try shop.waitUntilReachable()
        func certificate() throws -> JSONValue? {
            try shop.document("doctor")["checks"]?.array?.first { $0["name"] == "certificate" }
        }
        // It was made for two days.
        #expect(try certificate()?["detail"]?.string?.contains("1 days left") == true)
        shop.killHub()
        #expect(try certificate()?["ok"] == false)
        #expect(try certificate()?["detail"]?.string?.contains("as last seen") == true)
        try shop.secure(with: "expired", trusting: true)
        try shop.startHub()
        let ended = try certificate()
        #expect(ended?["ok"] == false)
        #expect(ended?["detail"]?.string?.contains("has ended") == true)
        #expect(ended?["detail"]?.string?.contains("as last seen it ends at 20") == true)
        shop.killHub()
        try shop.secure(with: "hub", trusting: true)
        try shop.startHub()
        #expect(try certificate()?["detail"]?.string?.contains("days left") == true)
    }

    @Test("A foreign certificate in the hub's place gets no sale; the real hub gets it later, once")
    func foreignCertificate() throws {
        let shop = try ShopUnderTest(secured: "hub")
        try shop.initialiseTill()
        shop.killHub()
        try shop.secure(with: "foreign", trusting: false)
        try shop.startHub()
        try shop.startAgent()
        let sale = try shop.document("sell", "--line", Article.assortment[0].barcode)
        #expect(sale["sync"]?.string == "pending")
        #expect(try shop.pos("sync", "now").exitCode == 75)
        #expect(try shop.audit().received ?? 0 == 0)
        shop.killHub()
        try shop.secure(with: "hub", trusting: true)
        try shop.startHub()
        try shop.waitUntilDrained(within: 40)
        #expect(try shop.audit().orders == 1)
    }
}

extension ShopUnderTest {
    /// A hub with a certificate called `name` and a catalogue; the till is not enrolled.
    convenience init(secured name: String) throws {
        try self.init(unstarted: .hurried)
        try secure(with: name, trusting: true)
        try startHub()
        try importCatalogue(Article.assortment)
    }

    /// Lets the hub serve with the certificate `name`, made when it is new: `expired` is past its end and
    /// `other` made out to another name.
    ///
    /// - Parameter trusting: whether the till trusts its issuer, beside those it trusts already.
    func secure(with name: String, trusting: Bool) throws {
        let certificate = try TestCertificate(
            name, in: folder, subject: name == "other" ? "DNS:other.example" : "IP:127.0.0.1",
            days: name == "expired" ? "-1" : "2")
        serveArguments = ["--tls-certificate", certificate.file, "--tls-key", certificate.key]
        isSecure = true
        guard trusting else { return }
        let trusted = folder.path("trusted.pem")
        let before = (try? String(contentsOfFile: trusted, encoding: .utf8)) ?? ""
        let more = try String(contentsOfFile: certificate.file, encoding: .utf8)
        try (before + more).write(toFile: trusted, atomically: true, encoding: .utf8)
        settings["POS_HUB_CA_FILE"] = trusted
    }
}

/// Another set of system roots for one program, in a mount namespace of its own.
enum PrivateRoots {
    static let need: Comment = "needs root and mount namespaces"

    static var isPossible: Bool {
        geteuid() == 0
            && (try? Command.run(["unshare", "-m", "--propagation", "private", "/bin/true"])) != nil
    }

    /// What starts a program with `folder`, made here, in the place of /etc/ssl/certs.
    ///
    /// - Parameters:
    ///   - certificate: trusted by its hash, as OpenSSL finds a root in a folder.
    ///   - bundle: the file of all roots; `certificate` is not in it.
    static func wrapper(trusting certificate: String, bundle: String, in folder: String) throws -> [String] {
        let files = FileManager.default
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let hash = try Command.run(["openssl", "x509", "-hash", "-noout", "-in", certificate])
            .trimmingCharacters(in: .whitespacesAndNewlines)
        try files.copyItem(atPath: certificate, toPath: "\(folder)/\(hash).0")
        try files.copyItem(atPath: bundle, toPath: folder + "/ca-certificates.crt")
        return [
            "unshare", "-m", "--propagation", "private", "/bin/sh", "-c",
            "mount --bind '\(folder)' /etc/ssl/certs && exec \"$0\" \"$@\"",
        ]
    }
}

/// A certificate that signs itself, for 127.0.0.1 unless a test gives another.
struct TestCertificate {
    static let need: Comment = "needs /usr/bin/openssl"
    static var isPossible: Bool { access("/usr/bin/openssl", X_OK) == 0 }

    let file: String
    let key: String

    /// - Parameter days: how long it is valid; a negative number: it has expired.
    init(
        _ name: String, in folder: TemporaryFolder, subject: String = "IP:127.0.0.1", days: String = "2"
    ) throws {
        file = folder.path(name + ".crt")
        key = folder.path(name + ".key")
        guard access(file, R_OK) != 0 else { return }
        let request = folder.path(name + ".csr")
        let extensions = folder.path(name + ".ext")
        try "subjectAltName=\(subject)\nbasicConstraints=CA:TRUE\n".write(
            toFile: extensions, atomically: true, encoding: .utf8)
        try Command.run([
            "openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-subj", "/CN=\(name)", "-keyout", key, "-out", request,
        ])
        try Command.run([
            "openssl", "x509", "-req", "-in", request, "-signkey", key, "-days", days, "-extfile", extensions,
            "-out", file,
        ])
    }
}
