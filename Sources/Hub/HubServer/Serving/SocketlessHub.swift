package import CurlHTTP
package import HubProtocol
package import Logging

internal import HTTPTypes
internal import HubCore
internal import Hummingbird
internal import NIOCore
internal import ServiceLifecycle

/// A hub without a socket: everything that `pos-hub serve` runs below its web server, in the caller's
/// process. For simulated shops.
package struct SocketlessHub: Sendable {
    /// A complete response.
    package struct Response: Sendable {
        package let status: Int
        package let headers: [(name: String, value: String)]
        package let body: [UInt8]
    }

    private let parts: HubParts
    private let table: RouteTable
    private let logger: Logger

    /// Opens the stores; nothing runs before ``run()``.
    ///
    /// - Parameter session: what sends the hub's own requests.
    /// - Throws: ``HubStartError``, an error of a store, or of the keys.
    package init(
        _ configuration: HubConfiguration, session: any HTTPSession, logger: Logger
    ) async throws {
        self.logger = logger
        parts = try await HubParts(configuration, session: session, logger: logger)
        table = parts.networkTable(
            Connections(maximum: 1, perAddress: 1, addresses: PeerAddresses(trusted: [])))
    }

    /// The response to one request; nil for what is no HTTP.
    ///
    /// - Parameters:
    ///   - target: path and query.
    ///   - address: whose rates it counts for.
    package func response(
        _ method: String, _ target: String, headers: [(name: String, value: String)], body: [UInt8]?,
        from address: String
    ) async -> Response? {
        guard let verb = HTTPRequest.Method(method) else { return nil }
        var fields = HTTPFields()
        for (name, value) in headers {
            guard let name = HTTPField.Name(name) else { return nil }
            fields.append(HTTPField(name: name, value: value))
        }
        if let body { fields[.contentLength] = String(body.count) }
        let head = HTTPRequest(
            method: verb, scheme: "https", authority: "hub", path: target, headerFields: fields)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body ?? [])))
        let sender = RequestSender(peer: { .address(address) }, becameKnown: {}, readsBody: {})
        let response = await table.response(to: request, of: sender, logger: logger)
        var sent = response.headers
        if let type = response.contentType { sent.append(("Content-Type", type)) }
        return Response(
            status: response.status, headers: sent, body: verb == .head ? [] : response.body)
    }

    /// Does what a command of `pos-hub` does, as its owner.
    ///
    /// - Returns: what the command prints with `--json`.
    /// - Throws: the ``Problem`` that it shows.
    @discardableResult
    package func perform(_ call: AdminCall) async throws -> JSONValue {
        if call.isOfQoS, let engine = parts.engine {
            return try await QoSAdminService(engine: engine, log: parts.stores.authorizer.log).perform(call)
        }
        guard let service = parts.stores.ledgerService else { throw Problem.notFound }
        return try await service.perform(call)
    }

    /// Imports the text of a file, as `pos-hub import` does.
    package func importList(_ kind: ImportedList.Kind, _ text: String) async throws {
        let file = try ImportedFile(Array(text.utf8), of: kind)
        try await perform(.importList(file.list, withdrawing: file.withdrawn))
    }

    /// Runs everything that `pos-hub serve` runs beside its listeners, until the task is cancelled.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for service in parts.services {
                group.addTask { [logger] in
                    do {
                        try await service.run()
                    } catch {
                        logger.error("a service ended", metadata: ["reason": "\(error)"])
                    }
                }
            }
        }
    }
}

extension AdminCall {
    /// Whether it is for the service that decides on QoS.
    var isOfQoS: Bool {
        switch self {
        case .qosStatus, .qosTerminals, .qosHistory, .overrideService, .clearOverride: true
        case _: false
        }
    }
}
