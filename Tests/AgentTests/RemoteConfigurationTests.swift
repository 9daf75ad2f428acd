import Foundation
import HubProtocol
import LinuxRuntime
import Logs
import OfflineCore
import Pricing
import Retail
import TerminalStore
import TestKit
import Testing

@testable import Agent

@Suite("What a store tunes from the hub")
struct RemoteConfigurationTests {
    private func sources(
        _ text: String = #"{"hub":{"url":"http://127.0.0.1:8080"}}"#, _ variables: [String: String] = [:]
    ) async throws -> ConfigurationSources {
        let path = NSTemporaryDirectory() + "configuration-\(UUID().uuidString).json"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await ConfigurationSources.read(path: path, environment: variables)
    }

    @Test("It stands above the default, below the file and the environment")
    func precedence() async throws {
        let settings = StoreSettings(
            json: [
                "network": [
                    "debounceSeconds": 11, "pathDebounceSeconds": 12, "recoveryHoldSeconds": 13,
                ],
                "store": ["name": "Tea House"],
            ])
        let file = #"{"hub":{"url":"http://127.0.0.1:8080"},"network":{"pathDebounceSeconds":2}}"#
        let (tuned, refused) = try await sources(file, ["POS_NETWORK_RECOVERY_HOLD_SECONDS": "3"])
            .configuration(tunedBy: settings)
        #expect(refused.isEmpty)
        #expect(tuned.debounce == .seconds(11))
        #expect(tuned.pathDebounce == .seconds(2))
        #expect(tuned.recoveryHold == .seconds(3))
        #expect(tuned.storeName == "Tea House")
    }

    @Test(
        "A value that this terminal would refuse in its own file is left out, and the rest counts",
        arguments: [
            ("network.debounceSeconds", .integer(0)), ("network.debounceSeconds", .string("8")),
            ("network.debounceSeconds", .integer(121)), ("network.debounce", .string("guessed")),
            ("network.debounceSeconds", .null), ("store.timeZone", .string("Atlantis/Capital")),
            ("store.businessDayStartsAt", .string("4 am")), ("policy.quietHours", .string("at night")),
            ("barcode.rules", .string("21AAAAAWWWWW")),
            ("display.language", .string("tlh")),
            ("account.approvals", .array([.string("refund"), .string("everything")])),
            ("account.approvals", .string("refund")), ("account.idleMinutes", .integer(0)),
            ("account.discountBasisPoints", .integer(10_001)),
            ("hub.url", .string("http://evil.example")), ("no.such", .integer(1)), ("network", .integer(5)),
        ] as [(String, JSONValue)])
    func refused(key: String, value: JSONValue) async throws {
        let plain = try await sources().configuration()
        let settings = StoreSettings(values: [key: value, "store.name": "Tea House"])
        let (tuned, refused) = try await sources().configuration(tunedBy: settings)
        #expect(refused.count == 1)
        #expect(refused.first?.contains(key) == true)
        var expected = plain
        expected.storeName = "Tea House"
        #expect(tuned == expected)
    }

    @Test("A store can ask for approval of every action that may need one")
    func approvals() {
        #expect(
            StoreSetting.named("account.approvals")?.kind == .words(ApprovalAction.allCases.map(\.rawValue)))
    }

    @Test("Every key that the hub may tune is the terminal's, of the same kind and range")
    func keys() {
        for setting in StoreSetting.all where !setting.isForHub && !setting.isOfStoreAlone {
            let key = ConfigurationKey.all.first { $0.name == setting.key }
            switch (setting.kind, key?.kind) {
            case (.integer(let range), .integer(_, _, let own)?),
                (.integer(let range), .limit(_, _, let own)?):
                #expect(Int(range.lowerBound)...Int(range.upperBound) == own, "\(setting.key)")
            case (.line, .text?), (.timeZone, .text?), (.timeOfDay, .text?), (.quietHours, .text?),
                (.oneOf, .text?), (.barcodeRules, .text?):
                break
            case (.oneOf(let words), .choice(let own, _)?), (.words(let words), .words(let own)?):
                #expect(words == own, "\(setting.key)")
            case (_, let kind):
                Issue.record("\(setting.key) is \(kind.map { "\($0)" } ?? "not known") here")
            }
        }
    }

    @Test("Keys of look-ups and what is for the hub alone are left aside without a word")
    func forHub() async throws {
        let keys = StoreLookupKeys(couponKey: "a", phoneKey: "b")
        let settings = StoreSettings(
            json: keys.added(to: ["members": ["names": "on"], "store": ["name": "Tea House"]]))
        #expect(settings.forTerminals.values == ["store.name": "Tea House"])
        let (_, refused) = try await sources().configuration(tunedBy: settings.forTerminals)
        #expect(refused.isEmpty)
        #expect(try await sources().configuration(tunedBy: settings).refused.count == 3)
    }

    @Test("Of approvals the terminal's file adds, and of the discount it lowers; neither takes anything away")
    func approvals() async throws {
        let file =
            #"{"hub":{"url":"http://127.0.0.1:8080"},"account":{"approvals":["manualOffline"],"discountBasisPoints":5000}}"#
        let plain = try await sources(file).configuration()
        #expect(plain.listedApprovals == nil && plain.addedApprovals == [.manualOffline])
        #expect(plain.discountBasisPoints == 1000)
        let listing = StoreSettings(
            values: ["account.approvals": ["refund"], "account.discountBasisPoints": 8000])
        let (tuned, refused) = try await sources(file).configuration(tunedBy: listing)
        #expect(refused.isEmpty)
        #expect(tuned.listedApprovals == [.refund] && tuned.addedApprovals == [.manualOffline])
        #expect(tuned.discountBasisPoints == 5000)
        let none = StoreSettings(values: ["account.approvals": []])
        #expect(try await sources().configuration(tunedBy: none).configuration.listedApprovals == [])
        let variables = ["POS_ACCOUNT_APPROVALS": "refund,void", "POS_ACCOUNT_IDLE_MINUTES": "1"]
        let added = try await sources(#"{"hub":{"url":"http://127.0.0.1:8080"}}"#, variables).configuration()
        #expect(added.addedApprovals == [.refund, .void] && added.idleMinutes == 1)
        let wrong = try await sources(
            #"{"hub":{"url":"http://127.0.0.1:8080"}}"#, ["POS_ACCOUNT_APPROVALS": "refunds"])
        #expect(throws: TerminalError.self) { try wrong.configuration() }
    }

    @Test("What cannot be read leaves the settings that are in force")
    func unreadable() async throws {
        let folder = try TemporaryFolder()
        let home = TerminalHome(path: folder.url.path)
        try home.makePrivate()
        _ = try DeviceKey(home: home, creating: true)
        let database = try TerminalStores.open(home: home, creating: true)
        try await SQLiteTerminalFacts(database).enrol(
            Enrolment(
                terminalId: "t-3", storeId: "north-7", terminalNumber: 3, token: "secret",
                tokenExpiresAt: "2099-01-01T00:00:00.000Z"), epoch: 1)
        let settings = Change(
            entity: "storeConfig", entityId: "north-7", version: 1, isDeleted: false, deletedAt: nil,
            hlc: "1795234567000-000001", origin: nil, value: ["points": ["valueMinor": 1]])
        try await SQLiteCatalogue(database, now: { 0 }).apply(
            ChangePage(changes: [settings], cursor: "1", hasMore: false))
        database.close()
        let thread = try EventLoopThread(named: "unreadable-settings")
        defer { thread.end() }
        let foundation = try await AgentFoundation(
            home: home, sources: try await sources(), log: LogStream(format: "text", level: "critical"),
            context: LinuxContext(loop: thread.loop), isRecording: false)
        let offline = try await AgentFeatures(foundation, isRecording: false).modes.offline
        let before = foundation.tuning.checkoutPolicy
        #expect(before.points.value == 1)
        foundation.store.database.close()
        await foundation.tuning.refresh(offline)
        #expect(foundation.tuning.checkoutPolicy == before)
    }

    @Test("Settings read back as they were written, with what is no setting")
    func shape() {
        let json: JSONValue = ["network": ["debounceSeconds": 3], "store": ["name": "x"], "odd": 1]
        let settings = StoreSettings(json: json)
        #expect(settings.values == ["network.debounceSeconds": 3, "store.name": "x", "odd": 1])
        #expect(settings.json == json)
        #expect(settings.changed(by: ["odd": .null, "store.name": "y"]).values["store.name"] == "y")
        #expect(
            settings.changed(by: ["odd": .null]).values.keys.sorted() == [
                "network.debounceSeconds", "store.name",
            ])
    }
}
