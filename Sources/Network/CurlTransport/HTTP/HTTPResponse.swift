/// A complete response, whether from the hub or from another server.
public struct HTTPResponse: Hashable, Sendable {
    /// The number of the status line, also of redirects, which are not followed.
    public let status: Int
    /// In the order received.
    public let headers: [HTTPHeader]
    /// Complete, at most ``HTTPRequest/maximumBodyBytes``; empty where the response has none.
    public let body: [UInt8]

    /// A response without headers and body by default.
    public init(status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first header called `name`, in any case of letters.
    public func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name.lowercased() == wanted }?.value
    }
}
