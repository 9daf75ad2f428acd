import FaultRelay
import Foundation
import HubProtocol
import TestKit
import Testing

/// What the cashier sees while it happens.
@Suite("The banner", .onStage)
struct BannerTests {
    @Test("It counts T1 down, and names the fault and the remedy in the configured language")
    func watched() throws {
        let shop = try ShopUnderTest(.relay)
        try shop.startAgent()
        try shop.waitUntilReachable()
        let english = try shop.startProgram("status", "--watch", with: ["LANG": "C", "LC_ALL": ""])
        let chinese = try shop.startProgram("status", "--watch", with: ["LC_ALL": "zh_CN.UTF-8"])
        defer {
            english.kill()
            chinese.kill()
        }
        try english.line { $0 == "ONLINE" }
        try chinese.line { $0 == "在线" }
        shop.relay?.setMode(.refusing)
        let counted = try english.line { $0.contains("decides in") }
        #expect(counted.hasPrefix("ONLINE"))
        try chinese.line { $0.contains("秒后判定") }
        let words = try english.line { $0.hasPrefix("OFFLINE") }
        #expect(words.contains("the shop's internet is down"))
        #expect(words.contains("sales are kept here and sent by themselves"))
        #expect(words.contains("pos sync now"))
        #expect(try chinese.line { $0.hasPrefix("离线") }.contains("单据保存在本机，恢复后自动上传"))
        shop.relay?.setMode(.open)
        _ = try shop.pos("sync", "now")
        try english.line { $0.contains("back in") }
        try shop.waitUntil("online", within: 30) { $0.mode == "online" }
        Thread.sleep(forTimeInterval: 3)
        #expect(english.output.lines.last?.hasPrefix("ONLINE") == true)
    }

    @Test(
        "The configured language is used for everybody, and the manual switch names the command that ends it")
    func configured() throws {
        let shop = try ShopUnderTest(settings: .hurried.with(["POS_DISPLAY_LANGUAGE": "zh"]))
        _ = try shop.document("offline", "on", "--reason", "盘点")
        let end = try shop.pos("status", with: ["LANG": "C"])
        #expect(end.output.first?.hasPrefix("离线 · 已手动切换为离线（盘点）") == true)
        #expect(end.output.first?.contains("pos offline off") == true)
    }
}
