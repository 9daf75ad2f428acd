import AgentAPI
import Base
import HubProtocol
import OfflineCore
import Testing

@testable import Agent

@Suite("A response of the agent")
struct AgentResponseTests {
    /// A document that JSON does not keep completely: it has whole milliseconds.
    private static let status = {
        var running = RunningState()
        running.quality = QualityStatus(
            samples: 1, failures: 0, median: .microseconds(1_500), percentile95: nil, isDegraded: false)
        var status = StatusResponse()
        status.running = running
        return status
    }()

    @Test("passes its value inside one process, and as a document to another one")
    func value() throws {
        let response = AgentResponse(Self.status)
        let inside = try StatusCall().response(in: response)
        #expect(inside == Self.status)
        let outside = try StatusCall().response(in: AgentResponse(status: response.status, response.body))
        #expect(outside.running?.quality.median == .milliseconds(1))
        #expect(outside.json == inside.json)
    }

    @Test("passes its error with the status of its kind, or with another one")
    func error() throws {
        let error = TerminalError(.refused, code: "no_order") { $0 == .chinese ? "没有此单" : "no such order" }
        let response = AgentResponse(error)
        #expect(response.status == 409 && response.error == error)
        #expect(AgentResponse(status: response.status, response.body).error == error)
        #expect(AgentResponse(status: 431, error).status == 431)
        #expect(throws: TerminalError.self) { try StatusCall().response(in: response) }
    }
}
