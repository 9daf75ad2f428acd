/// The fixed limits between the tills of one store, each with the reason of its size. What a store or a till
/// can set (`neighbours.*`) is a setting and not here.
package enum NeighbourLimits {
    /// The port that tills listen on unless another one is configured.
    package static let port: UInt16 = 7_710
    /// Tills that one till connects to. A store has some ten; more would keep a radio network busy with
    /// hellos.
    package static let neighbours = 16
    /// Addresses that are tried. A till may have one by cable and one by radio.
    package static let addresses = 32
    /// A request or response, in bytes. A hello has some two kilobytes; double is what a hostile till makes
    /// each other one read.
    package static let documentBytes = 64 << 10
    /// The head of a request or response, in bytes. Four lines of ours take 150.
    package static let headBytes = 2 << 10
    /// Requests that a till handles of one other in a second; what is above ends the connection.
    package static let requestsASecond = 20
    /// From one hello to the next while both tills are online, ±20 %. Half of it costs an idle till twice the
    /// wake-ups; doubled, nobody knows for three minutes that a till is gone.
    package static let helloInterval = Duration.seconds(30)
    /// The same while one of the two is offline.
    package static let offlineHelloInterval = Duration.seconds(5)
    /// Hellos that may be missed before a till counts as silent.
    package static let missedHellos = 3
    /// From the beginning of a connection to the response of its hello. A till of the same room takes
    /// milliseconds; one that accepts and says nothing is left after it.
    package static let exchange = Duration.seconds(4)
    /// The longest wait between two attempts at one address; the waits are 1, 2, 4 … 60 s.
    package static let longestRetry = Duration.seconds(60)
    /// A connection without a request for so long is closed: twice a long interval of hellos.
    package static let idle = Duration.seconds(75)
    /// Connections of others at a time. Each till has one; double is for those that are being replaced.
    package static let connections = 2 * neighbours
    /// Handshakes that are begun in a second, whoever comes. Each costs some 0.3 ms; sixteen tills that start
    /// at once are connected within the second.
    package static let handshakesASecond = 40
}
