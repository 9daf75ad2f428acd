import Base

internal import CurlHTTP
internal import HubCore
internal import HubProtocol
internal import HubStore

/// What an operator of the hub's machine does with webhooks.
package enum WebhookCall: Hashable, Sendable {
    /// `types` is a list with commas; `from` is `start` or a cursor, nil for from now on.
    case add(url: String, types: String?, from: String?)
    case list
    case remove(id: String)
    /// A new secret.
    case rotate(id: String)
    /// Sends no documents, signed as a delivery.
    case test(id: String)
    /// Gives up what lies before a cursor.
    case skip(id: String, through: String, reason: String)

    /// What the operators' log keeps; nil for what changes nothing.
    var act: (action: LoggedAction, subject: String, detail: String)? {
        switch self {
        case .add(let url, let types, let from):
            (.addWebhook, url, ["types \(types ?? "all")", "from \(from ?? "now")"].joined(separator: ", "))
        case .remove(let id): (.removeWebhook, id, "")
        case .rotate(let id): (.rotateWebhook, id, "")
        case .skip(let id, let through, let reason): (.skipWebhook, id, "through \(through): \(reason)")
        case .list, .test: nil
        }
    }

    var request: CallRequest {
        switch self {
        case .add(let url, let types, let from):
            .init("add-webhook", ["url": .string(url), "types": JSONValue(types), "from": JSONValue(from)])
        case .list: .init("list-webhooks")
        case .remove(let id): .init("remove-webhook", ["id": .string(id)])
        case .rotate(let id): .init("rotate-webhook", ["id": .string(id)])
        case .test(let id): .init("test-webhook", ["id": .string(id)])
        case .skip(let id, let through, let reason):
            .init(
                "skip-webhook",
                ["id": .string(id), "through": .string(through), "reason": .string(reason)])
        }
    }

    init?(name: String, json: JSONValue) throws(ShapeError) {
        switch name {
        case "add-webhook":
            self = try .add(
                url: json.requiredString("url"), types: json["types"]?.string, from: json["from"]?.string)
        case "list-webhooks": self = .list
        case "remove-webhook": self = try .remove(id: json.requiredString("id"))
        case "rotate-webhook": self = try .rotate(id: json.requiredString("id"))
        case "test-webhook": self = try .test(id: json.requiredString("id"))
        case "skip-webhook":
            self = try .skip(
                id: json.requiredString("id"), through: json.requiredString("through"),
                reason: json.requiredString("reason"))
        case _: return nil
        }
    }
}

/// Performs the calls about webhooks.
struct WebhookAdministration: Sendable {
    let ledger: any Ledger
    let now: @Sendable () -> Int64

    func perform(_ call: WebhookCall) async throws -> JSONValue {
        switch call {
        case .add(let url, let types, let from): return try await add(url, types, from)
        case .list: return ["webhooks": .array(try await ledger.webhooks().map(\.json))]
        case .remove(let id):
            guard try await ledger.removeWebhook(id) else { throw Problem.noWebhook(id) }
            return ["webhookId": .string(id), "removed": true]
        case .rotate(let id):
            let secret = WebhookSignature.secret()
            guard try await ledger.setWebhookSecret(secret, of: id) else { throw Problem.noWebhook(id) }
            return ["webhookId": .string(id), "secret": .string(secret)]
        case .test(let id): return try await test(id)
        case .skip(let id, let through, let reason): return try await skip(id, through, reason)
        }
    }

    private func add(_ url: String, _ types: String?, _ from: String?) async throws -> JSONValue {
        do throws(WebhookAddressFault) {
            _ = try WebhookAddress(url)
        } catch {
            throw Problem.malformed("The address \(url) \(error.reason).")
        }
        let end = try await ledger.journalEnd()
        let place: JournalCursor =
            switch from {
            case nil: end
            case "start": JournalCursor(life: end.life, number: 0)
            case let text?: try await known(text, life: end.life, name: "from")
            }
        var generator = SystemRandomNumberGenerator()
        let webhook = Webhook(
            id: ULID.minted(after: nil, now: UInt64(max(0, now())), using: &generator).description, url: url,
            kinds: try JournalPage.kinds(types), secret: WebhookSignature.secret(), addedAt: now(),
            delivery: WebhookDelivery(from: place))
        guard try await ledger.add(webhook) else {
            throw Problem.malformed(
                "There are \(Webhook.most) webhooks, as many as a hub has; remove one first.")
        }
        return [
            "webhookId": .string(webhook.id), "secret": .string(webhook.secret),
            "cursor": .string(place.text),
        ]
    }

    /// A cursor of this life that is neither behind the end nor in front of an archive.
    private func known(_ text: String, life: String, name: String) async throws -> JournalCursor {
        let none = Problem.malformed(
            "\(name) is a cursor of the journal of now, \(life).NUMBER; \"\(text)\" is none.")
        guard let cursor = JournalCursor(text) else { throw none }
        switch try await ledger.journal(after: cursor, limit: 1, JournalFilter()) {
        case .page: return cursor
        case .archived(let files, let life):
            let archived = WebhookArchived(files: files, life: life)
            throw Problem.malformed(archived.words(behind: text, option: name))
        case .expired: throw none
        }
    }

    private func webhook(_ id: String) async throws -> Webhook {
        guard let webhook = try await ledger.webhooks().first(where: { $0.id == id }) else {
            throw Problem.noWebhook(id)
        }
        return webhook
    }

    private func test(_ id: String) async throws -> JSONValue {
        let webhook = try await webhook(id)
        let session = try CurlSession(
            configuration: CurlSessionConfiguration(userAgent: "pos-hub", threadName: "webhook-test"))
        defer { session.close() }
        let page = WebhookPage(documents: [], cursor: webhook.delivery.through, restored: nil)
        let problem = await WebhookSender(session: session).send(page.body, to: webhook, at: now())
        return ["webhookId": .string(id), "accepted": .bool(problem == nil), "problem": JSONValue(problem)]
    }

    private func skip(_ id: String, _ through: String, _ reason: String) async throws -> JSONValue {
        let end = try await ledger.journalEnd()
        let cursor = try await known(through, life: end.life, name: "through")
        var webhook = try await webhook(id)
        let place = webhook.delivery.through
        guard cursor.life != place.life || cursor.number > place.number else {
            throw Problem.malformed("The webhook is at \(place.text) already; \(through) is not behind it.")
        }
        _ = webhook.delivery.handle(.skipped(through: cursor), at: now())
        guard
            try await ledger.keep(webhook.delivery, ofWebhook: id, insteadOf: place, by: nil)
        else {
            throw Problem.malformed(
                "The receiver accepted documents meanwhile; look at `pos-hub webhook list` again.")
        }
        return webhook.json
    }
}

extension Webhook {
    fileprivate var json: JSONValue {
        let names = (kinds ?? Set(JournalDocument.Kind.allCases)).map(\.rawValue).sorted()
        return ListRow<WebhookMember>([
            .webhookId: .string(id), .url: .string(url), .types: .array(names.map(JSONValue.string)),
            .addedAt: .string(Timestamp.text(milliseconds: addedAt)),
            .cursor: .string(delivery.through.text), .failures: .integer(delivery.failures),
            .failingSince: JSONValue(delivery.failingSince.map(Timestamp.text(milliseconds:))),
            .nextTry: JSONValue(delivery.nextTry.map(Timestamp.text(milliseconds:))),
            .problem: JSONValue(delivery.problem),
            .deliveredAt: JSONValue(delivery.deliveredAt.map(Timestamp.text(milliseconds:))),
        ]).json
    }
}

extension Problem {
    fileprivate static func noWebhook(_ id: String) -> Problem {
        notFound("No webhook has the id \(id); `pos-hub webhook list` shows them.")
    }
}
