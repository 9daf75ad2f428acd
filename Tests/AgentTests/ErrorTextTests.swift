import AgentAPI
import Base
import Foundation
import HubProtocol
import Retail
import TerminalStore
import TestKit
import Testing

@testable import Agent

/// The compiler demands every text of every language; here the errors come from where they are made.
@Suite("The texts of errors that are no refusal", .timeLimit(.minutes(2)))
struct ErrorTextTests {
    private func expectTexts(_ failure: AgentFailure?, _ code: String) {
        #expect(failure?.code == code, "\(code)")
        guard let failure else { return }
        #expect(!failure.message.contains(/\p{Han}/), "\(failure.message)")
        #expect(failure.text(in: .chinese).contains(/\p{Han}/), "\(code): \(failure.text(in: .chinese))")
    }

    @Test(
        "What the agent answers with an error is there in every language",
        arguments: [
            ("POST", "/v1/printer/test", [:], "no_printer"),
            ("POST", "/v1/sync/rejected/none/retry", [:], "unknown_mutation"),
            ("POST", "/v1/sync/rejected/none/discard", ["reason": ""], "reason_missing"),
            ("POST", "/v1/sync/rejected/none/edit", [:], "nothing_to_edit"),
            ("POST", "/v1/doctor/drill", [:], "drill_not_online"),
            ("POST", "/v1/shifts/verify", ["no": "statement"], "statement_invalid"),
            ("POST", "/v1/notes", [:], "text_missing"),
            ("POST", "/v1/notes/none/edit", ["text": "x"], "unknown_note"),
            ("POST", "/v1/sales", ["lines": 7], "malformed_request"),
            ("POST", "/v1/sales", ["prise": 7], "unknown_field"),
            ("GET", "/v1/nothing", [:], "unknown_request"),
        ] as [(String, String, JSONValue, String)])
    func answers(method: String, path: String, body: JSONValue, code: String) async throws {
        try await withAgent { agent in
            expectTexts(await agent.failure(method, path, body), code)
        }
    }

    @Test("So are the errors before an agent responds: of the data folder, its key and its configuration")
    func beforeAnAgent() async throws {
        let folder = try TemporaryFolder()
        func failure(_ work: () async throws -> Void) async -> AgentFailure? {
            do { try await work() } catch { return (error as? TerminalError)?.failure }
            return nil
        }
        let missing = TerminalHome(path: folder.path("missing"))
        expectTexts(await failure { try missing.requireInitialised() }, "home_missing")
        expectTexts(await failure { try missing.requireWritable() }, "home_missing")
        for code in [EROFS, EACCES, ENOSPC, EIO] {
            expectTexts(missing.notWritable(code).failure, "home_not_writable")
        }
        let home = TerminalHome(path: folder.url.path)
        expectTexts(await failure { _ = try DeviceKey(home: home) }, "home_missing")
        try Data("no key".utf8).write(to: URL(fileURLWithPath: home.deviceKey))
        expectTexts(await failure { _ = try DeviceKey(home: home) }, "device_key_corrupt")
        expectTexts(
            await failure { _ = try ConfigurationFile(path: home.configuration) }, "configuration_missing")
        for (text, code) in [
            ("{", "configuration_malformed"), ("[]", "configuration_malformed"),
            (#"{"hub":{"urll":"x"}}"#, "configuration_unknown_key"),
            (#"{"hub":{"url":7}}"#, "configuration_value"),
            (#"{"hub":{"url":"http://hub.example"}}"#, "configuration_insecure"),
            (#"{"store":{"timeZone":"Nowhere"},"hub":{"url":"https://h"}}"#, "configuration_value"),
            (#"{"printer":{"width":70},"hub":{"url":"https://h"}}"#, "configuration_value"),
        ] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: home.configuration))
            let failure = await failure {
                _ = try await TerminalConfiguration.load(path: home.configuration, environment: [:])
            }
            expectTexts(failure, code)
        }
    }

    @Test("An error of an agent keeps the texts that came with it")
    func received() {
        let error = TerminalError(.refused, code: "no_printer") { $0.noPrinter }
        #expect(AgentResponse(error).error == error)
    }
}
