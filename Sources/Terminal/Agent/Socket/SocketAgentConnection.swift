internal import AgentAPI
internal import CurlHTTP
internal import LinuxRuntime
internal import Foundation
internal import HubProtocol
internal import OfflineCore

/// A connection to the agent of another process, over the socket of its home.
final class SocketAgentConnection: AgentConnection {
    private let session: CurlSession
    private let socket: String

    init(home: TerminalHome, loop: EventLoop) throws(TerminalError) {
        socket = home.socket
        do {
            session = try CurlSession(loop: loop)
        } catch {
            throw TerminalError(.tryAgain, code: "no_resources") { $0.transportNotStarted("\(error)") }
        }
    }

    func call(_ request: AgentRequest) async throws(TerminalError) -> AgentResponse {
        let exchange = await session.send(outgoing(request))
        switch exchange.result {
        case .success(let response):
            guard let body = try? JSONParser.parse(response.body) else {
                throw gone(nil)
            }
            var answer = AgentResponse(status: response.status, body)
            answer.language = response.header("Content-Language")
            return answer
        case .failure(let failure):
            throw gone("\(failure)")
        }
    }

    func watchStatus() -> AsyncStream<StatusResponse> {
        AsyncStream { continuation in
            let watcher = Task {
                var revision: Int64 = 0
                while !Task.isCancelled {
                    let next = NextStatusCall(after: revision)
                    guard let response = try? await call(next.request), response.error == nil else { break }
                    guard let next = try? next.response(in: response) else { break }
                    revision = next.revision
                    continuation.yield(next.status)
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in watcher.cancel() }
        }
    }

    func close() async {
        session.close()
    }

    private func outgoing(_ request: AgentRequest) -> HTTPRequest {
        var components = URLComponents()
        components.percentEncodedPath = request.path
        if !request.query.isEmpty {
            components.queryItems = request.query.sorted { $0.key < $1.key }
                .map { URLQueryItem(name: $0.key, value: $0.value) }
        }
        let target = components.string ?? request.path
        return HTTPRequest(
            method: HTTPRequest.Method(rawValue: request.method) ?? .get, url: "http://agent" + target,
            headers: [HTTPHeader("Content-Type", "application/json")]
                + (request.frontEnd.map {
                    [HTTPHeader("Pos-Front-End", $0), HTTPHeader("Pos-Front-End-Process", "own")]
                } ?? []),
            body: request.body?.canonicalBytes,
            // Whether anybody is there shows at once; a card may take its minute.
            timeout: request.path == AgentRoutes.ping ? .seconds(2) : .seconds(115),
            maximumBodyBytes: 256 << 20,
            unixSocketPath: socket)
    }

    /// - Parameter failure: nil: what it answered is not JSON.
    private func gone(_ failure: String?) -> TerminalError {
        TerminalError(.tryAgain, code: "agent_gone") { $0.agentGone(failure) }
    }
}
