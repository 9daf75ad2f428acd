internal import CurlHTTP
internal import CurlTransport
internal import HubProtocol

/// What the hub did with a piece that was handed in.
enum RelayEnd: Hashable, Sendable {
    /// It has results for all entries of the piece. How far it has the epoch says nothing of other pieces:
    /// their numbers may stand for other entries there.
    case covered
    /// It will never take the piece.
    case worthless(reason: String)
    /// It keeps the piece for a person.
    case held
    /// It cannot take all of the piece for now.
    case settled
    /// There is no way to the hub, or it has no time.
    case notNow

    init(_ reply: HubReply) { self.init(json: reply.json, problem: reply.problem) }

    /// - Parameters:
    ///   - json: the hub's document; nil: there is none.
    ///   - problem: of a refusal.
    init(json: JSONValue?, problem: Problem?) {
        if let json, let read = try? RelayResponse(json: json) {
            let isFinal = read.batch.results.allSatisfy(\.outcome.isFinal)
            let end: RelayEnd = isFinal ? .covered : .settled
            self = read.held == nil ? end : .held
            return
        }
        switch problem?.code {
        case .pieceInvalid?, .pieceSignatureInvalid?: self = .worthless(reason: problem?.detail ?? "")
        case .terminalUnknown? where problem?.status == 404, .exportKeyUnknown?, .quotaExceeded?:
            self = .settled
        case .epochSuperseded?: self = .held
        case _: self = .notNow
        }
    }
}
