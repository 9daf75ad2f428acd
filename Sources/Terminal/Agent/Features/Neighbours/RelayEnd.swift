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
    /// It failed with the piece, or what stands before it did.
    case failed
    /// There is no way to the hub, or it has no time.
    case notNow

    init(_ reply: HubReply) {
        self.init(json: reply.json, problem: reply.problem, status: reply.response?.status)
    }

    /// - Parameters:
    ///   - json: the hub's document; nil: there is none.
    ///   - problem: of a refusal.
    ///   - status: of the response; nil: none came.
    init(json: JSONValue?, problem: Problem?, status: Int?) {
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
        case _: self = Self.end(status)
        }
    }

    /// What a response means that names no reason of the contract. One that is about this request alone may
    /// not keep others of the store from being handed in.
    private static func end(_ status: Int?) -> RelayEnd {
        switch status {
        case 400?, 413?, 422?: .settled
        case (500...599)?: .failed
        case _: .notNow
        }
    }
}
