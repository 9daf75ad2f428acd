import Base
internal import HTTPTypes
internal import HubProtocol
internal import Hummingbird
internal import LinuxRuntime
internal import MachineRuntime

/// How large a body may be and how long it may take to arrive.
struct BodyLimits: Sendable {
    let maximumBytes: Int
    let deadline: Duration

    /// The slowest line on which a body arrives whatever its length, in bytes a second: 4 kbit/s. Halved, a
    /// sender that trickles holds its connection for longer; doubled, a sale of 300 lines (44 kB) is not
    /// taken over 8 kbit/s.
    private static let slowest = 500
    /// What a terminal takes at most for one push whose bytes move.
    private static let longest: Duration = .seconds(60)

    /// How long a body of `length` bytes may take; nil: it did not announce its length.
    func deadline(of length: Int?) -> Duration {
        max(deadline, min(Self.longest, .seconds((length ?? 0) / Self.slowest)))
    }

    /// For terminals: 10 s, a long body more (http.md section 1).
    static let terminal = BodyLimits(maximumBytes: MutationBatch.maximumBytes, deadline: .seconds(10))
    /// For this machine's own commands: a whole catalogue.
    static let local = BodyLimits(maximumBytes: 256 << 20, deadline: .seconds(60))
}

/// Reads a body against a deadline: one that trickles in byte by byte would otherwise hold its connection for
/// ever, since every byte counts as activity.
struct BodyReader {
    let limits: BodyLimits
    /// Says that the body is wanted, for `Expect: 100-continue`.
    let begin: @Sendable () -> Void
    var time: any SystemTime = LinuxSystemTime.hub

    /// What is too large is refused before a byte of it is read where its length is announced, and at the
    /// first byte past the limit where it is not; the connection ends with the response.
    func bytes(of request: Request) async throws(Problem) -> [UInt8] {
        let length = request.headers[.contentLength].flatMap { Int($0) }
        if let length {
            if length == 0 { return [] }
            guard length <= limits.maximumBytes else { throw .bodyTooLarge(limits.maximumBytes) }
        }
        if request.headers[.expect] != nil { begin() }
        let body = request.body
        let limits = limits
        let result: Result<[UInt8], Problem>?
        do {
            // The body has one reader: it is waited for before the connection goes on.
            result = try await untilDeadline(time.now() + limits.deadline(of: length), on: time) {
                try await Self.collect(body, limits)
            }
        } catch {
            throw .malformed("The body ended before its length.")
        }
        guard let result else { throw .requestTimeout }
        return try result.get()
    }

    private static func collect(
        _ body: RequestBody, _ limits: BodyLimits
    ) async throws -> Result<[UInt8], Problem> {
        var bytes: [UInt8] = []
        for try await part in body {
            guard bytes.count + part.readableBytes <= limits.maximumBytes else {
                return .failure(.bodyTooLarge(limits.maximumBytes))
            }
            bytes.append(contentsOf: part.readableBytesView)
        }
        return .success(bytes)
    }
}
