import AgentAPI
import Foundation
import HubProtocol
import Retail
import TestKit
import Testing

@testable import Agent

/// The keys `cardMachine.*`, and what the doctor says of them.
@Suite("Settings of the card machine", .timeLimit(.minutes(2)))
struct CardMachineSettingsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func settings(_ keys: String) async throws -> CardMachineSettings? {
        let path = folder.path("configuration.json")
        try #"{"hub":{"url":"http://127.0.0.1:9"},"cardMachine":{\#(keys)}}"#
            .write(toFile: path, atomically: true, encoding: .utf8)
        return try await TerminalConfiguration.load(path: path, environment: [:]).cardMachine
    }

    /// The key that a refusal names; nil: nothing is refused.
    private func refused(_ keys: String) async -> String? {
        do {
            _ = try await settings(keys)
            return nil
        } catch {
            return (error as? TerminalError)?.message.firstMatch(of: /cardMachine\.\w+/).map { String($0.0) }
        }
    }

    /// A file of `mode` with `content`.
    private func file(_ content: String, mode: Int = 0o600) throws -> String {
        let path = folder.path("secret")
        try? FileManager.default.removeItem(atPath: path)
        try content.write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    private let zvt = #""kind":"zvt","address":"tcp:10.0.0.2:20007""#
    private let nexo = #""kind":"nexo","address":"https://10.0.0.2:8443/nexo","poiId":"S1F2-1""#

    @Test("An address alone is the simulated machine; real ones take every card unless a key says not")
    func defaults() async throws {
        #expect(try await settings(#""kind":"zvt""#) == nil)
        let simulated = try await settings(#""address":"tcp:127.0.0.1:1""#)
        #expect(simulated?.kind == .simulated && simulated?.isFirst == false)
        for keys in [zvt, nexo] {
            let machine = try await settings(keys)
            #expect(machine?.isFirst == true && machine?.isSecretSet == false && machine?.timeout == nil)
            #expect(try await settings(keys + #","first":false"#)?.isFirst == false)
        }
        #expect(try await settings(zvt + #","timeoutSeconds":60"#)?.timeout == .seconds(60))
        for seconds in [59, 601] {
            #expect(await refused(zvt + ",\"timeoutSeconds\":\(seconds)") == "cardMachine.timeoutSeconds")
        }
        #expect(await refused(#""kind":"zvt","address":"10.0.0.2:20007""#) == "cardMachine.address")
    }

    @Test("nexo goes in the clear on loopback alone, and wants the machine's id")
    func nexoPlace() async throws {
        let end = #":8443/nexo","poiId":"S1F2-1""#
        #expect(await refused(#""kind":"nexo","address":"http://127.0.0.1\#(end)"#) == nil)
        #expect(await refused(#""kind":"nexo","address":"http://10.0.0.2\#(end)"#) == "cardMachine.address")
        let without = #""kind":"nexo","address":"https://10.0.0.2:8443/nexo""#
        #expect(await refused(without) == "cardMachine.poiId")
        #expect(await refused(without + #","poiId":"a b""#) == "cardMachine.poiId")
        #expect(await refused(nexo + #","saleId":"till 7""#) == "cardMachine.saleId")
        #expect(await refused(nexo + #","displayListen":"10.0.0.7""#) == "cardMachine.displayListen")
        let named = nexo.replacingOccurrences(of: "10.0.0.2", with: "machine.shop")
        #expect(await refused(named) == nil)
        #expect(await refused(named + #","displayListen":"10.0.0.7:80""#) == "cardMachine.address")
    }

    @Test("A password or key that others can read, or that is none, is refused, and is shown nowhere")
    func secrets() async throws {
        let password = try file("314159")
        #expect(try await settings(zvt + #","passwordFile":"\#(password)""#)?.isSecretSet == true)
        for (content, mode) in [("314159", 0o640), ("31415", 0o600), ("31415x", 0o600)] {
            let path = try file(content, mode: mode)
            #expect(await refused(zvt + #","passwordFile":"\#(path)""#) == "cardMachine.passwordFile")
        }
        let content = #"{"passphrase":"open sesame","keyIdentifier":"k1","keyVersion":1}"#
        let key = try file(content)
        let sealed = try #require(try await settings(nexo + #","keyFile":"\#(key)""#))
        #expect(sealed.isSecretSet && !String(reflecting: sealed).contains("sesame"))
        for (content, mode) in [
            (content, 0o604), (#"{"passphrase":"","keyIdentifier":"k1","keyVersion":1}"#, 0o600),
        ] {
            let path = try file(content, mode: mode)
            #expect(await refused(nexo + #","keyFile":"\#(path)""#) == "cardMachine.keyFile")
        }
    }

    @Test("The doctor warns of a password that every new machine has, and of messages without a key")
    func doctor() async throws {
        func warnings(_ keys: String) async throws -> [String] {
            let agent = try await AgentUnderTest(isRunning: false, keys: #","cardMachine":{\#(keys)}"#)
            let checks = try await agent.send(DoctorCall()).checks
            await agent.stop()
            return checks.filter { $0.isOk && $0.isWarning && $0.fix != nil }.map(\.name)
        }
        #expect(try await warnings(zvt) == ["card machine password"])
        #expect(try await warnings(nexo) == ["card machine key"])
        let password = try file("314159")
        #expect(try await warnings(zvt + #","passwordFile":"\#(password)""#) == [])
    }
}
