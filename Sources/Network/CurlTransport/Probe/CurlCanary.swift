internal import CurlHTTP
internal import HubProtocol
internal import OfflineCore
import OfflineMode

/// Tries one harmless call of a service: an empty batch for `order`, and for every other one a request that
/// changes nothing. Two services have no GET: `account` gets a sign-in of an unknown cashier, which it
/// refuses like a wrong PIN, and `marketing` gets an empty basket.
package struct CurlCanary: CanaryCalling {
    private let client: HubClient
    private let epoch: @Sendable () async -> Int64

    /// - Parameter epoch: the journal's epoch, for the empty batch.
    package init(client: HubClient, epoch: @escaping @Sendable () async -> Int64) {
        self.client = client
        self.epoch = epoch
    }

    /// One request, reported to the client's observer. A service without a canary returns false and nothing
    /// is sent.
    package func call(service: String, timeout: Duration) async -> Bool {
        guard service == "order" else { return await query(service, timeout: timeout) }
        let call = HubCall.emptyBatch(epoch: await epoch(), timeout: timeout)
        let reply = await client.call(call)
        guard case .success = reply.outcome, let json = reply.json else { return false }
        return (try? MutationBatchResponse(json: json)) != nil
    }

    /// A problem document of the hub, "not found" for example, counts as a good response.
    private func query(_ service: String, timeout: Duration) async -> Bool {
        guard var call = HubCall.canary(of: service) else { return false }
        call.timeout = timeout
        let reply = await client.call(call)
        switch reply.outcome {
        case .success: return true
        case .business: return reply.problem != nil
        case .network, .service, .auth, .throttle, .portal, .cancelled: return false
        }
    }
}

extension HubCall {
    /// Nil for a service that this version has no canary for.
    static func canary(of service: String) -> HubCall? {
        switch service {
        case "product":
            return get(Routes.productByBarcode, filling: "barcode", with: "canary")
        case "payment":
            return get(Routes.authorization, filling: "key", with: "00000000000000000000000000")
        case "member": return get(Routes.member, filling: "id", with: "canary")
        case "account": return post(Routes.sessions, ["cashierId": "canary", "pin": "0"])
        case "marketing":
            let nothing = BasketShape(memberId: nil, coupons: [], lines: [])
            return post(Routes.promotionEvaluation, nothing.json)
        case _: return nil
        }
    }

    private static func get(_ template: String, filling variable: String, with value: String) -> HubCall {
        HubCall(.get, template: template, path: template.filled(variable, value))
    }

    private static func post(_ template: String, _ body: JSONValue) -> HubCall {
        HubCall(.post, template: template, body: body.canonicalBytes)
    }

    static func emptyBatch(epoch: Int64, timeout: Duration) -> HubCall {
        var call = pushBatch([], epoch: epoch, lowSequence: nil, telemetry: nil)
        call.timeout = timeout
        return call
    }
}
