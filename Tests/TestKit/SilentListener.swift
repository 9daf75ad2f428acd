import Foundation

/// A port whose connections are accepted by the system's queue alone: nobody reads them, and nobody closes
/// them before ``stop()``.
public final class SilentListener {
    private let descriptor: Int32
    /// Of 127.0.0.1.
    public let port: UInt16

    /// Listens on a free port.
    public init() throws {
        descriptor = try ListeningSocket.open(unixPath: nil)
        port = ListeningSocket.port(of: descriptor)
    }

    /// Closes the port with its connections.
    public func stop() {
        close(descriptor)
    }
}
