import HubProtocol
import PinnedTLS
import Testing

@testable import Agent

/// Requests and responses between tills, as far as they have come.
@Suite("Messages between tills")
struct NeighbourMessageTests {
    @Test("Two messages that come a byte at a time are both read, and nothing is left")
    func bytewise() throws {
        let request = NeighbourMessage.request("/neighbour/v1/hello", ["a": 1])
        let response = NeighbourMessage.response(200, ["b": [1, 2]])
        var reader = NeighbourMessageReader()
        var read: [NeighbourMessage] = []
        for byte in request.bytes + response.bytes {
            if let message = try reader.take([byte]) { read.append(message) }
        }
        #expect(read == [request, response] && reader.isEmpty)
        #expect(request.path == "/neighbour/v1/hello" && response.path == nil)
        #expect(response.isGood && !request.isGood && response.document == ["b": [1, 2]])
        #expect(!NeighbourMessage.response(404, [:]).isGood)
    }

    @Test("Two messages that come at once are given one after the other")
    func together() throws {
        let message = NeighbourMessage.response(200, [:])
        var reader = NeighbourMessageReader()
        #expect(try reader.take(message.bytes + message.bytes) == message)
        #expect(try reader.take([]) == message)
        #expect(try reader.take([]) == nil && reader.isEmpty)
    }

    @Test(
        "What no till sends is refused",
        arguments: [
            "POST / HTTP/1.1\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 65537\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\n", "\r\n\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
            "POST / HTTP/1.1\r\nno field\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
        ])
    func malformed(_ text: String) {
        var reader = NeighbourMessageReader()
        #expect(throws: TLSStreamFailure.malformed) { try reader.take(Array(text.utf8)) }
    }

    @Test("A head that does not end is refused at its limit")
    func endless() throws {
        var reader = NeighbourMessageReader()
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: NeighbourLimits.headBytes - 1)
        #expect(try reader.take(line) == nil)
        #expect(throws: TLSStreamFailure.malformed) { try reader.take([0x78]) }
    }
}
