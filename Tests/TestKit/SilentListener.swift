import Foundation

/// A port whose connections are accepted by the system's queue alone: nobody reads them, and nobody closes
/// them before ``stop()``.
package final class SilentListener {
    private let descriptor: Int32
    /// Of 127.0.0.1.
    package let port: UInt16

    /// Listens on a free port.
    package init() throws {
        descriptor = try ListeningSocket.open(unixPath: nil)
        port = ListeningSocket.port(of: descriptor)
    }

    /// Closes the port with its connections.
    package func stop() {
        close(descriptor)
    }
}
