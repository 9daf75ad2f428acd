import AgentAPI
import Base
import Foundation
import HubProtocol
import Retail
import TestKit
import Testing

@testable import Agent

@Suite("The doctor's texts", .timeLimit(.minutes(2)))
struct DoctorTextTests {
    @Test("A person reads them in their language, a program in English")
    func reader() async throws {
        try await withAgent { agent in
            let checks = try await agent.send(DoctorCall(reader: .chinese)).checks
            let english = try await agent.send(DoctorCall()).checks
            #expect(checks.map(\.name) == english.map(\.name) && checks.map(\.isOk) == english.map(\.isOk))
            for (check, same) in zip(checks, english) {
                #expect(check.detail.contains(/\p{Han}/), "\(check.name): \(check.detail)")
                #expect(!same.detail.contains(/\p{Han}/) && !(same.fix ?? "").contains(/\p{Han}/))
            }
            #expect(english.first { $0.name == "catalogue" }?.detail.hasPrefix("no articles") == true)
            #expect(
                try await agent.send(DoctorCall(reader: .english)).checks.map(\.fix) == english.map(\.fix))
        }
    }

    @Test("The till's own language goes before the reader's")
    func tillsLanguage() async throws {
        let agent = try await AgentUnderTest(keys: #","display":{"language":"zh"}"#)
        let checks = try await agent.send(DoctorCall(reader: .english)).checks
        let programs = try await agent.send(DoctorCall()).checks
        await agent.stop()
        #expect(checks.first { $0.name == "store" }?.detail.contains("完好") == true)
        #expect(programs.first { $0.name == "store" }?.detail.contains("intact") == true)
    }

    @Test("A span stands behind a space in a sentence, and without one at its beginning")
    func spans() {
        let texts = Language.chinese.doctorTexts
        #expect(texts.copied(90_000) == "90 秒前的副本" && texts.pulled(7_200_000) == "上次成功更新在 2 小时前")
        #expect(
            texts.text(.compared(hubAhead: -300_000, isConfirmed: true, isHubsFault: false)).contains(
                "快 5 分钟"))
    }

    @Test("A reader is one of the languages, and a program's reader is none")
    func readers() {
        for language in Language.allCases {
            let call = DoctorCall(reader: language)
            #expect(call.language(of: nil) == language && call.language(of: .chinese) == .chinese)
        }
        #expect(DoctorCall().language(of: .chinese) == .english)
        #expect(DoctorCall(query: ["reader": "xx"]).reader == nil)
    }

    @Test("Where the database cannot be opened the doctor says so in the reader's language")
    func damaged() async throws {
        let folder = try TemporaryFolder()
        let home = TerminalHome(path: folder.url.path)
        try Data(#"{"hub":{"url":"http://127.0.0.1:9"}}"#.utf8)
            .write(to: URL(fileURLWithPath: home.configuration))
        let connection = DamagedHome(
            home: home,
            configuration: try await TerminalConfiguration.load(path: home.configuration, environment: [:]),
            error: TerminalError(.unusable, code: "database_damaged") { $0.databaseDamaged("page 3") })
        func detail(_ query: [String: String]) async throws -> String {
            let response = try await connection.call(AgentRequest("GET", AgentRoutes.doctor, query: query))
            return try DoctorCall.Response(json: response.body).checks[0].detail
        }
        #expect(try await detail(["reader": "zh"]).hasPrefix("数据库无法使用"))
        #expect(try await detail(["reader": "zh"]).contains("page 3"))
        for query in [[:], ["reader": "en"]] {
            #expect(try await detail(query).utf8.allSatisfy { $0 < 0x80 })
        }
    }

    @Test("Each fix has the same commands in every language")
    func commands() {
        func fixes(_ texts: any DoctorTexts) -> [String] {
            [
                texts.importArticles, texts.pullAgain, texts.compareNumbers, texts.repair,
                texts.compareReceipts,
                texts.ingest, texts.sendHeldBack, texts.resolveOutbox, texts.freeSpace, texts.dropCarts,
                texts.speedUpDisk, texts.permitPing, texts.setClock, texts.update, texts.renewToken,
                texts.renewCertificate, texts.checkDecisions, texts.enrol, texts.checkWay,
                texts.resolveEntries,
                texts.repay, texts.statusSaysWhy, texts.retryPrinter, texts.importCashiers,
                texts.lowerDebounce, texts.importSome, texts.doctorSaysWhy, texts.lookForOutage,
            ]
        }
        func commands(_ fix: String) -> [String] { fix.matches(of: /`[^`]+`/).map { String($0.output) } }
        for language in Language.allCases {
            let texts = fixes(language.doctorTexts)
            #expect(texts.map(commands) == fixes(Language.english.doctorTexts).map(commands), "\(language)")
        }
    }
}
