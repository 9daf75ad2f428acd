import Base

internal import Glibc
internal import LinuxRuntime
internal import Logging
internal import MachineRuntime
internal import Nexo
internal import PinnedTLS

/// Takes what a machine of nexo sends by itself, `cardMachine.displayListen`: plain HTTP from the machine's
/// address alone, one message over each connection and one connection at a time. What it says is for the
/// screen.
struct NexoDisplayServer: Sendable {
    let address: SocketAddress
    /// The machine's address, with any port.
    let machine: SocketAddress
    let loop: EventLoop
    let time: any SystemTime
    let logger: Logger

    /// For a message and its response, on the shop's network. While one takes so long the next waits.
    private static let limit = Duration.seconds(5)
    /// Between two tries at a port that is taken, or without a free descriptor.
    private static let retry = Duration.seconds(60)

    /// Serves until the task is cancelled.
    ///
    /// - Parameter response: to the body of a message, empty where it wants none; nil: it is not about the
    ///   request that is open.
    func run(_ response: @escaping @Sendable ([UInt8]) -> [UInt8]?) async {
        while !Task.isCancelled {
            do throws(TLSStreamFailure) {
                let listener = try TCPListener(address, on: loop)
                while let (socket, from) = try await listener.accept() {
                    if from.bytes == machine.bytes {
                        _ = await untilDeadline(time.now() + Self.limit, on: time) {
                            await serve(socket, response)
                        }
                    }
                    close(socket)
                }
            } catch {
                logger.warning("the card machine's notifications are not taken at \(address): \(error)")
            }
            guard (try? await time.sleep(until: time.now() + Self.retry)) != nil else { return }
        }
    }

    private func serve(_ socket: Int32, _ response: @Sendable ([UInt8]) -> [UInt8]?) async {
        var connection = ServedSocket(
            socket: socket, loop: loop, timeout: Self.limit, largestBody: NexoNotification.longestBytes)
        let request: SocketRequest?
        do throws(SocketRequest.Failure) {
            request = try await connection.nextRequest()
        } catch {
            request = nil
        }
        guard let request, request.method == "POST", let body = response(request.body) else {
            await connection.write(Self.head("404 Not Found", 0))
            return
        }
        await connection.write(Self.head("200 OK", body.count) + body)
    }

    private static func head(_ status: String, _ length: Int) -> [UInt8] {
        Array(
            ("HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(length)\r\n"
                + "Connection: close\r\n\r\n").utf8)
    }
}
