public import HubProtocol
internal import OfflineCore

/// What the hub says of the schema that this version speaks (http.md section 1).
public enum SchemaMessage: Hashable, Sendable {
    /// Nothing against it.
    case welcome
    /// It is answered for now; the notice says until when.
    case retiring(SchemaNotice)
    /// 426: this version may not sync any more.
    case refused
}

extension HubReply {
    /// The hub's word on this version's schema; nil when it was not the hub that spoke, or not of this.
    ///
    /// Only an answer to a call under a valid token counts: a 401 comes before the schema is looked at.
    var schemaMessage: SchemaMessage? {
        guard let response else { return nil }
        switch outcome {
        case .business(status: 426): return problem?.code == .upgradeRequired ? .refused : nil
        case .success, .business, .throttle:
            return SchemaNotice(response.header).map(SchemaMessage.retiring) ?? .welcome
        case .auth, .network, .service, .portal, .cancelled: return nil
        }
    }
}
