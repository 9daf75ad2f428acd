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
        let sale = try shop.document("sell", "--line", Article.shelf[0].barcode)
        #expect(sale["sync"]?.string == "acknowledged")
        #expect(try shop.audit().isWhole)
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
        #expect(end.errors.count == 1)
        shop.settings = trusted
        #expect(try shop.document("init", "--hub", shop.hubURL, "--enrol", code)["storeId"]?.string == "S1")
    }

    @Test("A foreign certificate in the hub's place gets no sale; the real hub gets it later, once")
    func foreignCertificate() throws {
        let shop = try ShopUnderTest(secured: "hub")
        try shop.initialiseTill()
        shop.killHub()
        try shop.secure(with: "foreign", trusting: false)
        try shop.startHub()
        try shop.startAgent()
        let sale = try shop.document("sell", "--line", Article.shelf[0].barcode)
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
        try importCatalogue(Article.shelf)
    }

    /// Lets the hub serve with the certificate `name`, made when it is new.
    func secure(with name: String, trusting: Bool) throws {
        let certificate = try TestCertificate(name, in: folder)
        serveArguments = ["--tls-certificate", certificate.file, "--tls-key", certificate.key]
        if trusting { settings["POS_HUB_CA_FILE"] = certificate.file }
        isSecure = true
    }
}

/// A certificate for 127.0.0.1 that signs itself.
struct TestCertificate {
    static let need: Comment = "needs /usr/bin/openssl"
    static var isPossible: Bool { access("/usr/bin/openssl", X_OK) == 0 }

    let file: String
    let key: String

    init(_ name: String, in folder: TemporaryFolder) throws {
        file = folder.path(name + ".crt")
        key = folder.path(name + ".key")
        guard access(file, R_OK) != 0 else { return }
        try Command.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
            "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
            "-keyout", key, "-out", file,
        ])
    }
}
