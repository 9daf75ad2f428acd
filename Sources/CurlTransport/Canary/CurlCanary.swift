internal import HubProtocol
internal import OfflineCore
public import OfflineMode

/// Tries one harmless call of a service: an empty batch of `order`, a GET of every other one.
public struct CurlCanary: CanaryCalling {
    private let client: HubClient
    private let epoch: @Sendable () async -> Int64
    private let paths: [String: String]

    /// - Parameters:
    ///   - epoch: the journal's epoch, for the empty batch.
    ///   - paths: the GET of each other service. Default ``defaultPaths``.
    public init(
        client: HubClient, epoch: @escaping @Sendable () async -> Int64,
        paths: [String: String] = CurlCanary.defaultPaths
    ) {
        self.client = client
        self.epoch = epoch
        self.paths = paths
    }

    /// Reads that change nothing; a "not found" of the hub is as good an answer as a find.
    public static let defaultPaths = [
        "product": "/v1/products/canary", "payment": "/v1/payments/authorizations/00000000000000000000000000",
        "member": "/v1/members/canary",
    ]

    public func call(service: String, timeout: Duration) async -> Bool {
        guard service == "order" else { return await get(service, timeout: timeout) }
        let call = HubCall.emptyBatch(epoch: await epoch(), timeout: timeout)
        let reply = await client.call(call)
        guard case .success = reply.outcome, let json = reply.json else { return false }
        return (try? MutationBatchAnswer(json: json)) != nil
    }

    private func get(_ service: String, timeout: Duration) async -> Bool {
        guard let path = paths[service] else { return false }
        let reply = await client.call(
            HubCall(.get, template: Self.template(of: path), path: path, timeout: timeout))
        switch reply.outcome {
        case .success: return true
        case .business: return reply.problem != nil
        case .network, .service, .auth, .throttle, .portal, .cancelled: return false
        }
    }

    /// The route that a canary's path counts as.
    private static func template(of path: String) -> String {
        if path.hasPrefix("/v1/products/") { return Routes.productByBarcode }
        if path.hasPrefix("\(Routes.authorizations)/") { return Routes.authorization }
        if path.hasPrefix("/v1/members/") { return "/v1/members/{id}" }
        return path
    }
}

extension HubCall {
    static func emptyBatch(epoch: Int64, timeout: Duration) -> HubCall {
        var call = pushBatch([], epoch: epoch, lowSequence: nil, telemetry: nil)
        call.timeout = timeout
        return call
    }
}
