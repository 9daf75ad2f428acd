internal import EventLoop
internal import FlyingFox
internal import FlyingSocks
internal import Foundation
internal import Glibc
internal import HubProtocol

/// Serves the agent's requests as HTTP and JSON over the Unix-domain socket of the home, mode 0600.
///
/// For programs of this machine and this user; it has no read deadline.
final class AgentSocketServer: Sendable {
    private let server: HTTPServer
    private let path: String

    /// - Parameter handler: answers every request; the longest it may take is 120 s.
    init(home: TerminalHome, handler: any AgentHandling, loop: EventLoop) throws(TerminalError) {
        path = home.socket
        guard path.utf8.count < 108 else {
            throw TerminalError(
                .unusable, code: "home_path_too_long",
                "\(path) is longer than the 107 bytes of a socket's name; choose a shorter --home")
        }
        let address = sockaddr_un.unix(path: path)
        // The lock of the home is held here, so whatever lies at the path belongs to a dead agent.
        try? Socket.unlink(address)
        server = HTTPServer(
            config: .init(
                address: address, timeout: 120, pool: LoopSocketPool(loop: loop), logger: .disabled),
            handler: AgentHTTPHandler(handler: handler))
    }

    /// Serves until ``stop()``.
    func run() async {
        do {
            try await server.run()
        } catch {
            // Cancellation and the closed listener are how a server of this library ends.
            return
        }
    }

    /// Returns once the socket accepts connections, open to the owner alone.
    func waitUntilListening() async throws(TerminalError) {
        do {
            try await server.waitUntilListening(timeout: 10)
        } catch {
            throw TerminalError(
                .unusable, code: "socket_unusable",
                "cannot listen on \(path): \(error); mend the home's permissions")
        }
        chmod(path, 0o600)
    }

    func stop() async {
        await server.stop(timeout: 0)
        unlink(path)
    }
}

/// Turns HTTP into agent requests and answers back.
private struct AgentHTTPHandler: HTTPHandler {
    /// No request of a till is larger; what is larger is refused unread.
    private static let maximumBodyBytes = 1 << 20

    let handler: any AgentHandling

    func handleRequest(_ request: FlyingFox.HTTPRequest) async throws -> FlyingFox.HTTPResponse {
        let length = request.headers[.contentLength].flatMap { Int($0) } ?? 0
        guard length <= Self.maximumBodyBytes else {
            return response(AgentAnswer(tooLarge), status: .payloadTooLarge)
        }
        let data = try await request.bodyData
        var body: HubProtocol.JSONValue?
        if !data.isEmpty {
            do {
                body = try JSONParser.parse(Array(data))
            } catch {
                return response(
                    AgentAnswer(TerminalError(.usage, code: "malformed_request", "\(error)")),
                    status: .badRequest)
            }
        }
        let query = Dictionary(request.query.map { ($0.name, $0.value) }) { first, _ in first }
        let answer = await handler.handle(
            AgentRequest(request.method.rawValue, request.path, query: query, body: body))
        return response(answer, status: HTTPStatusCode(answer.status, phrase: ""))
    }

    private var tooLarge: TerminalError {
        TerminalError(.usage, code: "body_too_large", "a request may have at most 1 MiB")
    }

    private func response(_ answer: AgentAnswer, status: HTTPStatusCode) -> FlyingFox.HTTPResponse {
        FlyingFox.HTTPResponse(
            statusCode: status, headers: [.contentType: "application/json"],
            body: Data(answer.body.canonicalBytes))
    }
}
