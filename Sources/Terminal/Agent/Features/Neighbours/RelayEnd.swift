internal import CurlHTTP
internal import CurlTransport
internal import HubProtocol

/// What the hub did with a piece that was handed in.
enum RelayEnd: Hashable, Sendable {
    /// It has results for all entries of the piece, and for all of the epoch up to a sequence.
    case covered(through: Int64)
    /// It will never take the piece.
    case worthless(reason: String)
    /// It keeps the piece for a person, or cannot take it for now; the piece stays.
    case settled
    /// There is no way to the hub, or it has no time.
    case notNow

    init(_ reply: HubReply) {
        if let json = reply.json, let read = try? RelayResponse(json: json) {
            let isFinal = read.batch.results.allSatisfy(\.outcome.isFinal)
            self = read.held == nil && isFinal ? .covered(through: read.batch.acknowledgedThrough) : .settled
            return
        }
        switch reply.problem?.code {
        case .pieceInvalid?, .pieceSignatureInvalid?: self = .worthless(reason: reply.problem?.detail ?? "")
        case .terminalUnknown? where reply.response?.status == 404, .exportKeyUnknown?, .epochSuperseded?,
            .quotaExceeded?:
            self = .settled
        case _: self = .notNow
        }
    }
}
