import FaultRelay
import Foundation
import HubProtocol
import TestKit
import Testing

/// The agent under a wall clock that is set while it runs, by libfaketime; the monotonic clock goes on.
@Suite(
    "A wall clock that is set", .onStage, .serialized,
    .enabled(if: FakeClock.obstacle == nil, "\(FakeClock.obstacle ?? "")"))
struct WallClockTests {
    @Test("A clock set forth and back by a day switches nothing, and every sale arrives once")
    func byADay() throws {
        let shop = try ShopUnderTest(.relay)
        let clock = try FakeClock(in: shop.folder)
        try shop.startAgent(with: clock.settings)
        try shop.waitUntilReachable()
        let sales = try shop.openSales()
        var count: Int64 = 0
        for offset in ["+1d", "-1d", "+0"] {
            try clock.set(offset)
            #expect(try sales.sell(SaleRequests.piece()).mode == "online")
            count += 1
            try shop.staysOnline(for: 4)
        }
        #expect(try shop.document("history")["periods"]?.array == [])
        try shop.waitUntilDrained()
        #expect(sales.close() == 0)
        let audit = try shop.audit()
        #expect(audit.orders == count)
        #expect(audit.isWhole)
    }

    @Test("In the midst of a doubt a day more convicts no sooner than T1, and a day less no later")
    func whileInDoubt() throws {
        let shop = try ShopUnderTest(.relay)
        let clock = try FakeClock(in: shop.folder)
        try shop.startAgent(with: clock.settings)
        try shop.waitUntilReachable()
        for offset in ["+1d", "-1d"] {
            shop.relay?.setMode(.silentBlackhole)
            try shop.waitUntil("a doubt", within: 12) { $0.networkState == "suspect" }
            try clock.set(offset)
            let after = try shop.waitUntil("offline", within: 12) { $0.causes.contains("network") }
            #expect(after >= 2)
            shop.relay?.setMode(.open)
            try shop.waitUntil("online again", within: 30) { $0.mode == "online" }
        }
    }
}

/// A wall clock that a test sets, for programs that are started with its settings.
private struct FakeClock {
    private static let library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"
    /// Why no clock can be set here; nil when one can.
    static var obstacle: String? {
        FileManager.default.fileExists(atPath: library) ? nil : "libfaketime is not installed"
    }

    private let file: String

    init(in folder: TemporaryFolder) throws {
        file = folder.path("faketime")
        try set("+0")
    }

    var settings: ShopSettings {
        [
            "LD_PRELOAD": Self.library, "FAKETIME_TIMESTAMP_FILE": file, "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        ]
    }

    /// Sets the clock so far beside the true time.
    func set(_ offset: String) throws {
        try offset.write(toFile: file, atomically: true, encoding: .utf8)
    }
}
