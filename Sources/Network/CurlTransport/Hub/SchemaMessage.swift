internal import CurlHTTP
package import HubProtocol
internal import OfflineCore

/// The hub's notice about the schema of this version (http.md section 1).
package enum SchemaMessage: Hashable, Sendable {
    /// Nothing against it.
    case welcome
    /// The hub still serves it; the notice contains the last day.
    case retiring(SchemaNotice)
    /// 426: this version may not sync any more.
    case refused
}

extension HubReply {
    /// The hub's notice about this version's schema; nil for a response that is not the hub's, or has none.
    ///
    /// Only a response to a call under a valid token counts: the hub sends a 401 before it reads the schema.
    var schemaMessage: SchemaMessage? {
        guard let response else { return nil }
        switch outcome {
        case .business(status: 426): return problem?.code == .upgradeRequired ? .refused : nil
        case .business(status: 401), .business(status: 403): return nil
        case .success, .business, .throttle:
            return SchemaNotice(response.header).map(SchemaMessage.retiring) ?? .welcome
        case .auth, .network, .service, .portal, .cancelled: return nil
        }
    }
}
