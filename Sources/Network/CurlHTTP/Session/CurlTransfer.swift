import Base

internal import CLibcurl
internal import OfflineCore

/// One request on its way through libcurl.
///
/// Made by the caller, then owned by the loop's thread: only that thread uses it, which makes it safe to
/// send.
final class CurlTransfer: @unchecked Sendable {
    let request: HTTPRequest
    /// The caller cancelled, perhaps before the transfer began.
    var isCancelled = false
    let onStall: (@Sendable (Instant) -> Void)?
    let onMove: (@Sendable (Instant) -> Void)?
    var completion: ((HTTPExchange) -> Void)?

    var timings: HTTPTimings
    var headers: [HTTPHeader] = []
    var headerBytes = 0
    /// The empty line after the headers was read.
    var hasAllHeaders = false
    var body: [UInt8] = []
    /// Of the body so far, where the request keeps no more.
    var outline: (any BodyOutline)?
    /// Bytes of the body that arrived.
    var bodyBytes = 0
    /// Set by a callback that refuses to go on; outranks libcurl's code.
    var refusal: TransferFailure?
    var hasReportedStall = false
    /// When TCP was first seen connected.
    var reachedAt: Instant?
    var progress = ByteProgress()
    /// What libcurl last waited for, from the connection on its own; negative before.
    var socket: Int32 = -1

    /// The handle while the transfer runs.
    var easy: UnsafeMutableRawPointer?
    var headerList: UnsafeMutablePointer<curl_slist>?
    /// Where the host's name is taken to be, while the request is pinned.
    var hostList: UnsafeMutablePointer<curl_slist>?

    /// No response of a hub has more bytes of headers: it sends about a dozen short ones. Half or double
    /// would change nothing for a hub.
    static let maximumHeaderBytes = 64 << 10

    init(
        request: HTTPRequest, startedAt: Instant, onStall: (@Sendable (Instant) -> Void)? = nil,
        onMove: (@Sendable (Instant) -> Void)? = nil
    ) {
        self.request = request
        self.onStall = onStall
        self.onMove = onMove
        outline = request.outline?()
        timings = HTTPTimings(startedAt: startedAt, finishedAt: startedAt)
    }

    /// When the request ends: at its timeout, or while bytes move at the next look at them, up to its
    /// longest.
    var deadline: Instant {
        let timeout = timings.startedAt + request.timeout
        guard let longest = request.longestWhileMoving, progress.isMoving, let next = progress.nextLook else {
            return timeout
        }
        return max(timeout, min(next, timings.startedAt + longest))
    }
}
