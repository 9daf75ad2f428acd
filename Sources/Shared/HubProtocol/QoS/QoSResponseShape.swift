import Base

/// The response of the QoS service to a report and to a query: a decision for each service (http.md section
/// 7).
package struct QoSResponseShape: Hashable, Sendable {
    /// At most one for each service.
    package let decisions: [QoSDecisionShape]
    /// The incarnation of the QoS store; a missing one counts as one constant.
    package let issuer: String?
    /// Milliseconds since 1970.
    package let issuedAt: Int64

    /// Makes a response; `issuedAt` is milliseconds since 1970.
    package init(decisions: [QoSDecisionShape], issuer: String?, issuedAt: Int64) {
        self.decisions = decisions
        self.issuer = issuer
        self.issuedAt = issuedAt
    }

    /// Nil when the document is no response of the contract; a decision that is none is left out.
    package init?(json: JSONValue) {
        guard let elements = json["decisions"]?.array,
            let issuedAt = json["issuedAt"]?.string.flatMap(Timestamp.milliseconds(of:))
        else { return nil }
        self.init(
            decisions: elements.compactMap(QoSDecisionShape.init(json:)), issuer: json["issuer"]?.string,
            issuedAt: issuedAt)
    }

    /// `{"decisions","issuer","issuedAt"}` (docs/reference/http.md, section 7).
    package var json: JSONValue {
        [
            "decisions": .array(decisions.map(\.json)), "issuer": JSONValue(issuer),
            "issuedAt": .string(Timestamp.text(milliseconds: issuedAt)),
        ]
    }
}
