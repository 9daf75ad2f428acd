import Base
import HubCore
import Testing

@Suite("ConnectionDeadlines")
struct ConnectionDeadlinesTests {
    private static let start = Instant(nanoseconds: 5_000_000_000)

    private static func at(_ seconds: Double) -> Instant { start + .milliseconds(Int(seconds * 1000)) }

    /// A connection on which a request was read completely and responded.
    private func responded() -> ConnectionDeadlines {
        var connection = ConnectionDeadlines(at: Self.at(0))
        _ = connection.bytesArrived(200, at: Self.at(1))
        connection.headArrived()
        connection.bodyEnded()
        connection.responseBegan(isStream: false, at: Self.at(2))
        connection.responseEnded(at: Self.at(2))
        connection.outputWaits(0, at: Self.at(2))
        return connection
    }

    @Test("An idle connection is closed after 75 s, counted from the last response")
    func idle() {
        let fresh = ConnectionDeadlines(at: Self.at(0))
        #expect(fresh.due(at: Self.at(74.999)) == nil)
        #expect(fresh.due(at: Self.at(75)) == .idle)
        #expect(responded().due(at: Self.at(76.999)) == nil)
        #expect(responded().due(at: Self.at(77)) == .idle)
    }

    @Test("A head that trickles in is closed 20 s after its first byte, however many follow")
    func head() {
        var connection = ConnectionDeadlines(at: Self.at(0))
        for second in 10..<30 {
            let isKept = connection.bytesArrived(1, at: Self.at(Double(second)))
            #expect(isKept)
        }
        #expect(connection.due(at: Self.at(29.999)) == nil)
        #expect(connection.due(at: Self.at(30)) == .head)
        connection.headArrived()
        #expect(connection.due(at: Self.at(1_000)) == nil)
    }

    @Test("Behind a response whose request was read completely the connection is closed at once")
    func wholeRequest() {
        var connection = responded()
        #expect(connection.finish(at: Self.at(3)) == .close)
    }

    @Test("Behind a refusal 64 KiB are thrown away within 1 s, not one byte more and not a moment longer")
    func discarding() {
        var connection = ConnectionDeadlines(at: Self.at(0))
        _ = connection.bytesArrived(200, at: Self.at(0))
        connection.headArrived()
        connection.responseBegan(isStream: false, at: Self.at(0))
        connection.responseEnded(at: Self.at(0))
        #expect(connection.finish(at: Self.at(1)) == .discard)
        let isKept1 = connection.bytesArrived(ConnectionDeadlines.maximumDiscarded - 1, at: Self.at(1.5))
        #expect(!isKept1)
        #expect(connection.readsOn)
        let isKept2 = connection.bytesArrived(1, at: Self.at(1.5))
        #expect(!isKept2)
        #expect(!connection.readsOn)
        #expect(connection.due(at: Self.at(1.999)) == nil)
        #expect(connection.due(at: Self.at(2)) == .discarded)
    }

    @Test("A reader that takes nothing for 10 s is gone, also one that requests more meanwhile")
    func blockedReader() {
        var connection = responded()
        connection.outputWaits(1_000, at: Self.at(3))
        connection.outputWaits(1_000, at: Self.at(8))
        connection.outputWaits(5_000, at: Self.at(12))
        #expect(connection.due(at: Self.at(12.999)) == nil)
        #expect(connection.due(at: Self.at(13)) == .blockedOutput)
    }

    @Test("A slow reader that takes something stays, until its response has taken 10 minutes")
    func slowReader() {
        var connection = ConnectionDeadlines(at: Self.at(0))
        _ = connection.bytesArrived(200, at: Self.at(0))
        connection.headArrived()
        connection.bodyEnded()
        connection.responseBegan(isStream: false, at: Self.at(0))
        connection.responseEnded(at: Self.at(0))
        for second in stride(from: 0, to: 599, by: 9) {
            connection.outputWaits(1_000_000 - second, at: Self.at(Double(second)))
            #expect(connection.due(at: Self.at(Double(second) + 5)) == nil)
        }
        connection.outputWaits(1, at: Self.at(599))
        #expect(connection.due(at: Self.at(599.999)) == nil)
        #expect(connection.due(at: Self.at(600)) == .response)
        connection.outputWaits(0, at: Self.at(599))
        #expect(connection.due(at: Self.at(601)) == nil)
    }

    @Test("A stream of events has no end of its own, but its reader has to read")
    func stream() {
        var connection = ConnectionDeadlines(at: Self.at(0))
        _ = connection.bytesArrived(200, at: Self.at(0))
        connection.headArrived()
        connection.bodyEnded()
        connection.responseBegan(isStream: true, at: Self.at(0))
        #expect(connection.due(at: Self.at(100_000)) == nil)
        connection.outputWaits(10, at: Self.at(100_000))
        #expect(connection.due(at: Self.at(100_010)) == .blockedOutput)
    }
}
