import Foundation
import Glibc
import HubProtocol
import TestKit
import Testing

/// What other users of the machine get of a till: nothing.
@Suite("A till's folder and other users", .onStage)
struct PrivateHomeTests {
    /// The names in the data folder, and of `attachments` in it, that others may read.
    private func open(in shop: ShopUnderTest) throws -> [String] {
        try ([""] + FileManager.default.subpathsOfDirectory(atPath: shop.home)).filter { name in
            var status = stat()
            return lstat(shop.home + "/" + name, &status) == 0 && status.st_mode & 0o077 != 0
        }
    }

    @Test("In a folder that was there and open, with an open mask, everything is the owner's alone")
    func folderThatWasThere() throws {
        let shop = try ShopUnderTest(unstarted: .hurried)
        try shop.startHub()
        try shop.importCatalogue(Article.assortment)
        try FileManager.default.createDirectory(
            atPath: shop.home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        shop.tillWrapper = ["/bin/sh", "-c", "umask 000; exec \"$0\" \"$@\""]
        let end = try shop.pos("init", "--hub", shop.hubURL, "--enrol", try shop.enrolmentCode())
        #expect(end.exitCode == 0)
        #expect(end.errors.contains { $0.contains("mode 755") })
        try shop.startAgent()
        let photo = shop.folder.path("photo.txt")
        try "x".write(toFile: photo, atomically: true, encoding: .utf8)
        _ = try shop.document("note", "add", "photo", "--attach", photo)
        _ = try shop.document("sell", "--line", Article.assortment[0].barcode)
        _ = try shop.document("offline", "on")
        #expect(try open(in: shop) == [])
        #expect(try shop.doctorDetail(on: "data folder")?.contains("closed") == true)
    }

    @Test("Files of the version before become private at the next start, with a warning")
    func olderHome() throws {
        let shop = try ShopUnderTest()
        let files = ["", "/terminal.sqlite", "/device.key", "/terminal.json"]
        for file in files { #expect(chmod(shop.home + file, file.isEmpty ? 0o755 : 0o644) == 0) }
        #expect(try shop.doctorDetail(on: "data folder")?.contains("others may enter") == true)
        try shop.startAgent()
        #expect(try open(in: shop) == [])
        let words = shop.agent?.errors.lines.joined() ?? ""
        #expect(words.contains("mode 755") && words.contains("device.key"))
    }

    @Test(
        "A folder of another user that others may enter is refused",
        .enabled(if: OtherUser.isUsable, OtherUser.need))
    func strangersFolder() throws {
        let shop = try ShopUnderTest(unstarted: .hurried)
        try shop.startHub()
        try FileManager.default.createDirectory(
            atPath: shop.home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o777])
        #expect(chmod(shop.folder.url.path, 0o755) == 0 && chmod(shop.home, 0o777) == 0)
        shop.tillWrapper = OtherUser.wrapper
        let end = try shop.pos("init", "--hub", shop.hubURL, "--enrol", try shop.enrolmentCode(), "--json")
        #expect(end.exitCode == 3)
        #expect(end.errors.joined().contains("others may enter"))
    }

    @Test("Root leaves no files in the folder of another user", .enabled(if: geteuid() == 0, "needs root"))
    func rootInAnothersHome() throws {
        let shop = try ShopUnderTest()
        let before = try FileManager.default.contentsOfDirectory(atPath: shop.home).sorted()
        try #require(chown(shop.home, 65534, 65534) == 0)
        for arguments in [
            ["sell", "--line", Article.assortment[0].barcode, "--json"],
            ["init", "--hub", shop.hubURL, "--enrol", try shop.enrolmentCode(), "--json"],
        ] {
            let end = try shop.pos(arguments)
            #expect(end.exitCode == 3)
            #expect(end.output.joined().contains("home_of_other_user"), "\(end.output) \(end.errors)")
        }
        let after = try FileManager.default.contentsOfDirectory(atPath: shop.home).sorted()
        #expect(after.filter { $0 != "agent.lock" } == before.filter { $0 != "agent.lock" })
    }

    @Test(
        "Who may not look into a till's folder is sent to its user, not to `pos init`",
        .enabled(if: OtherUser.isUsable, OtherUser.need))
    func strangerAtHome() throws {
        let shop = try ShopUnderTest()
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: shop.folder.path("."))
        shop.tillWrapper = OtherUser.wrapper
        let end = try shop.pos("status", "--json")
        #expect(end.exitCode == 3)
        #expect(end.output.joined().contains("home_of_other_user"), "\(end.output) \(end.errors)")
        #expect(!end.errors.joined().contains("pos init"))
    }

    @Test("A manual flag that is a FIFO or a link to nowhere counts as set, and the agent starts")
    func oddFlags() throws {
        for make in [{ mkfifo($0, 0o600) }, { symlink("/nowhere/at/all", $0) }] as [(String) -> Int32] {
            let shop = try ShopUnderTest()
            #expect(make(shop.home + "/manual-offline.json") == 0)
            try shop.startAgent()
            #expect(try shop.status()["manual"]?["reason"]?.string == "flag_corrupt")
            #expect(try shop.document("offline", "off")["on"] == false)
            #expect(try shop.status()["manual"]?["on"] == false)
        }
    }

    @Test(
        "Every unit is one that systemd takes, and exposes little",
        .enabled(if: access("/usr/bin/systemd-analyze", X_OK) == 0, "needs systemd-analyze"),
        arguments: ["pos-agent", "pos-hub", "pos-hub-qos"])
    func unit(name: String) throws {
        let folder = try TemporaryFolder()
        let text = try String(contentsOfFile: "config/\(name).service", encoding: .utf8)
            .replacingOccurrences(of: "/usr/bin/pos-hub ", with: "/bin/true ")
            .replacingOccurrences(of: "/usr/bin/pos ", with: "/bin/true ")
            .replacingOccurrences(of: "User=pos-hub", with: "User=daemon")
            .replacingOccurrences(of: "User=pos", with: "User=daemon")
        let file = folder.path("\(name).service")
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let end = try Command.finish(["systemd-analyze", "verify", file])
        #expect(end.code == 0, "\(end.errors)")
        #expect(!end.errors.contains("\(name).service"), "\(end.errors)")
        // 2.0 of 10 is "OK"; a service without any of the restrictions has 9.6.
        let exposure = try Command.finish([
            "systemd-analyze", "security", "--offline=yes", "--threshold=20", file,
        ])
        #expect(exposure.code == 0, "\(exposure.output.suffix(300))")
    }
}
