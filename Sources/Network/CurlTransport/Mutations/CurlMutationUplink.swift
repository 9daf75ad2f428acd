internal import CurlHTTP
package import HubProtocol
package import OfflineCore
package import OfflineMode

/// Pushes mutations through libcurl, one request at a time, and reads the hub's results strictly.
package struct CurlMutationUplink: MutationUplink {
    private let client: HubClient
    private let telemetry: (@Sendable () async -> JSONValue?)?
    private let head: @Sendable () async -> SignedHead?
    private let feedMoved: @Sendable () -> Void
    private let extent: @Sendable (JournalExtent, _ isWhole: Bool) async -> Void

    /// - Parameters:
    ///   - telemetry: piggybacked on a batch; nil for none, as on a constrained path.
    ///   - head: where the journal ends, signed; nil for none.
    ///   - feedMoved: called when the hub has something new for this terminal in its change feed; nothing by
    ///     default.
    ///   - extent: called with what the hub has of the journal, as a response says it, before the outcome is
    ///     returned; whole in the response to an empty batch, without earlier epochs in others. Nothing by
    ///     default.
    package init(
        client: HubClient, telemetry: (@Sendable () async -> JSONValue?)? = nil,
        head: @escaping @Sendable () async -> SignedHead? = { nil },
        feedMoved: @escaping @Sendable () -> Void = {},
        extent: @escaping @Sendable (JournalExtent, _ isWhole: Bool) async -> Void = { _, _ in }
    ) {
        self.extent = extent
        self.client = client
        self.telemetry = telemetry
        self.head = head
        self.feedMoved = feedMoved
    }

    /// One item goes to `/v1/mutations`, none or more to `/v1/mutations/batch`. The mutations are sent byte
    /// for byte as the journal has them.
    package func push(_ items: [OutboxItem], at depth: OutboxDepth) async -> PushOutcome {
        if let first = items.first, items.count == 1 {
            let single = HubCall.push(first, at: depth, head: await head())
            return await push(single) {
                PushResponse.outcome(of: $0, single: first.id)
            }
        }
        let batch = HubCall.pushBatch(
            items, epoch: depth.epoch, epochStart: depth.epochStart, lowSequence: depth.lowSequence,
            telemetry: await telemetry?(), head: await head())
        return await push(batch) { PushResponse.outcome(of: $0, batch: items.map(\.id)) }
    }

    /// One or two `GET /healthz` of 3,000 bytes, each on a connection of its own: with full segments, then
    /// with small ones. Neither is reported to the observer.
    package func largePacketsPass() async -> Bool? {
        let large = await client.callUnreported(.health(padding: Self.padding, .full))
        if large.outcome.isVerifiedResponse { return true }
        guard large.outcome.isLost else { return nil }
        let small = await client.callUnreported(.health(padding: Self.padding, .small))
        return small.outcome.isVerifiedResponse ? false : nil
    }

    /// Of the client's session, so of every call of it.
    package func useSmallSegments(_ areUsed: Bool) { client.session.useSmallSegments(areUsed) }

    /// Two packets of an Ethernet's 1,500 bytes, so that one is full whatever precedes it; a hub accepts
    /// heads of 16 KiB. Halved, the request could fit into one packet that is not full.
    private static let padding = 3_000

    /// A success that names other rows, or none, is reported as a malformed response.
    private func push(_ call: HubCall, _ read: (HubReply) -> PushOutcome) async -> PushOutcome {
        var success: PushOutcome?
        let reply = await client.call(call) { reply in
            let outcome = read(reply)
            success = outcome
            return outcome != PushResponse.broken
        }
        if case .results? = success, reply.json?[MutationBatchResponse.feedMovedKey] == true { feedMoved() }
        let outcome = success ?? read(reply)
        if case .results = outcome, let json = reply.json, let known = try? JournalExtent(json: json) {
            await extent(known, call.entries.isEmpty)
        }
        return outcome
    }
}

extension HubCall {
    /// The health request with a header of so many bytes, which the hub ignores, on a connection with
    /// `segments`.
    static func health(padding: Int, _ segments: TCPSegments) -> HubCall {
        let filler = HTTPHeader("Pos-Padding", String(repeating: "x", count: padding))
        // The confirmation round's deadline for the same route.
        var call = HubCall(
            .get, template: Routes.health, path: "\(Routes.health)?nonce=\(padding)", headers: [filler],
            isAuthorized: false, timeout: .seconds(3))
        call.ownSegments = segments
        return call
    }

    /// The single push of http.md section 3; the body is sent byte for byte as the journal has it.
    static func push(_ item: OutboxItem, at depth: OutboxDepth, head: SignedHead? = nil) -> HubCall {
        var headers = [
            HTTPHeader(HeaderNames.idempotencyKey, "\"\(item.id)\""),
            HTTPHeader(HeaderNames.epoch, String(depth.epoch)),
        ]
        if let start = depth.epochStart { headers.append(HTTPHeader(HeaderNames.epochStart, String(start))) }
        if let lowSequence = depth.lowSequence {
            headers.append(HTTPHeader(HeaderNames.lowSequence, String(lowSequence)))
        }
        if let head { headers.append(HTTPHeader(HeaderNames.head, head.headerText)) }
        var call = HubCall(.post, template: Routes.mutation, headers: headers, body: item.body)
        call.entries = [item.id]
        call.goesOnWhileMoving = true
        return call
    }

    /// The batch of http.md section 3.
    static func pushBatch(
        _ items: [OutboxItem], epoch: Int64, epochStart: Int64? = nil, lowSequence: Int64?,
        telemetry: JSONValue?, head: SignedHead? = nil
    ) -> HubCall {
        let body = MutationBatch.body(
            of: items.map(\.body), epoch: epoch, epochStart: epochStart, lowSequence: lowSequence,
            telemetry: telemetry, head: head)
        var call = HubCall(.post, template: Routes.mutationBatch, body: body)
        call.entries = items.map(\.id)
        call.goesOnWhileMoving = true
        return call
    }

    /// What is left of another terminal's journal (http.md section 3, relayed entries).
    static func relay(_ content: HandedIn) -> HubCall {
        var call = HubCall(.post, template: Routes.relayed, body: content.bytes)
        call.contentType = content.mediaType
        call.goesOnWhileMoving = true
        return call
    }
}

extension HubClient {
    /// Hands in what is left of another terminal's journal.
    package func relay(_ content: HandedIn) async -> HubReply {
        await call(.relay(content)) { $0.json.map { (try? RelayResponse(json: $0)) != nil } ?? false }
    }
}
