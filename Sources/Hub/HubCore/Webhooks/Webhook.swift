package import Base
internal import HubProtocol

/// A receiver of the journal feed.
package struct Webhook: Hashable, Sendable {
    /// A ULID.
    package let id: String
    /// https, or http on this machine.
    package let url: String
    /// Nil: all.
    package let kinds: Set<JournalDocument.Kind>?
    /// The signature's key.
    @Secret package var secret: String
    /// Milliseconds since 1970.
    package let addedAt: Int64
    package var delivery: WebhookDelivery

    package init(
        id: String, url: String, kinds: Set<JournalDocument.Kind>?, secret: String, addedAt: Int64,
        delivery: WebhookDelivery
    ) {
        self.id = id
        self.url = url
        self.kinds = kinds
        self.addedAt = addedAt
        self.delivery = delivery
        _secret = Secret(wrappedValue: secret)
    }

    /// The alarm about a receiver that has accepted nothing for an hour.
    package func alarm(at now: Int64) -> Alarm {
        Alarm(kind: .webhookFailing, terminalId: id, detail: "\(url): \(delivery.problem ?? "")", at: now)
    }

    /// How many a hub has: each is a request of its own for each document.
    package static let most = 20
}
