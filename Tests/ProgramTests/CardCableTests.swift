import Foundation
import Glibc
import HubProtocol
import TestKit
import Testing

/// A card machine at the other end of a cable, which is pulled out at each message that goes through it: what
/// the machine holds in the end is what the till says, and the hub.
@Suite(
    "The cable of a card machine", .onStage,
    .enabled(if: NetworkNamespace.isAvailable, "\(NetworkNamespace.obstacle ?? "")"),
    .enabled(if: TestCertificate.isPossible, TestCertificate.need))
struct CardCableTests {
    @Test(
        "pulled out at any message, nothing is charged twice, and nothing charged is forgotten",
        arguments: [CardTerminal.Kind.zvt, .nexo])
    func pulled(_ kind: CardTerminal.Kind) throws {
        let stage = try CableStage(kind)
        _ = try stage.shop.document("shift", "open", "--float", "0")
        // A terminal without a booking cannot prove that it made none.
        _ = try stage.shop.sellTeaByCard().document()
        // The machine gives up at each; at some of them the cable is back in time.
        for (manner, step) in [(CardCable.Manner.givenUp, 1), (.putBack, 4)] {
            var message = 1
            while try stage.sell(pullingAt: message, manner) { message += step }
            // From the machine's greeting to its last word.
            #expect(message > (kind == .zvt ? 12 : 5), "\(message) messages")
        }
        try stage.shop.endDay(stage.terminal)
        #expect(try stage.shop.audit().isComplete)
    }
}

/// A shop in one network namespace, and its card machine in another.
private final class CableStage {
    let shop: ShopUnderTest
    let terminal: CardTerminal
    private let cable: CardCable
    private let places: (till: NetworkNamespace, machine: NetworkNamespace)
    private let folder: TemporaryFolder

    init(_ kind: CardTerminal.Kind) throws {
        folder = try TemporaryFolder()
        places = (try NetworkNamespace("till"), try NetworkNamespace("machine"))
        var options: [String] = []
        if kind == .nexo {
            let certificate = try TestCertificate(
                MachineShop.poi, in: folder, subject: "DNS:" + MachineShop.poi)
            options = ["--certificate", certificate.file, "--key", certificate.key]
        }
        terminal = try CardTerminal(
            kind, in: folder.url.path, fixed: options, behind: places.machine.argumentsToRun([]))
        cable = try CardCable(
            from: places.till, to: places.machine, port: UInt16(terminal.port) ?? 0)
        var settings = ["POS_CARD_MACHINE_KIND": kind.rawValue]
        let place = "\(CardCable.machine):\(terminal.port)"
        switch kind {
        case .zvt: settings["POS_CARD_MACHINE_ADDRESS"] = "tcp:" + place
        case .nexo:
            settings["POS_CARD_MACHINE_ADDRESS"] = "https://\(place)/nexo"
            settings["POS_CARD_MACHINE_POI_ID"] = MachineShop.poi
            settings["POS_CARD_MACHINE_CA_FILE"] = folder.path(MachineShop.poi + ".crt")
        }
        shop = try ShopUnderTest(unstarted: .hurried.with(settings))
        shop.hubWrapper = places.till.argumentsToRun([])
        shop.tillWrapper = shop.hubWrapper
        try shop.startHub()
        try shop.importCatalogue(Article.assortment)
        try shop.initialiseTill()
        try shop.startAgent()
        try shop.waitUntilReachable()
        _ = try shop.document("sync", "now")
    }

    /// Sells once, and pulls the cable at a message.
    ///
    /// - Returns: whether there was such a message.
    func sell(pullingAt message: Int, _ manner: CardCable.Manner) throws -> Bool {
        let before = try terminal.booked().count
        cable.pull(at: message, manner)
        let program = try shop.startProgram("sell", "--line", MachineShop.tea, "--pay", "card", "--json")
        _ = program.exitCode(within: 60)
        let isPulled = cable.isPulled
        cable.leave()
        terminal.bookedBefore = before
        let what = "message \(message), \(manner)"
        try shop.settleMachine(terminal, what)
        let (held, sold) = (try terminal.held, try shop.heldByTill())
        #expect(held == sold, "\(what)")
        // One that only waited for its cable is a sale.
        if manner == .putBack { #expect(try terminal.booked().count == before + 1, "\(what)") }
        return isPulled
    }
}

/// A cable (a veth pair) whose far end carries what arrives on to the terminal, and counts it.
private final class CardCable: @unchecked Sendable {
    enum Manner: CaseIterable {
        /// Put back in time: what was under way is sent again by the kernels.
        case putBack
        /// The machine gives the connection up while the cable is out.
        case givenUp
    }

    static let machine = "10.217.76.2"
    private static let interface = "cable0"
    /// How long it is out: the kernels send again after 0.2, 0.4, 0.8 … s.
    private static let out: UInt32 = 700_000

    private let place: NetworkNamespace
    private let listener: Int32
    // Guarded by `lock`.
    private let lock = NSLock()
    private var left: Int?
    private var manner = Manner.putBack
    private var wasPulled = false

    init(from till: NetworkNamespace, to machine: NetworkNamespace, port: UInt16) throws {
        place = machine
        try machine.connect(Self.interface, Self.machine + "/24", to: till, "lan0", "10.217.76.1/24")
        let listener = try machine.perform { try Self.socket(Self.machine, port, isListening: true) }
        self.listener = listener
        Thread.detachNewThread { [weak self, machine] in
            machine.enter()
            while true {
                let guest = accept(listener, nil, nil)
                guard guest >= 0, let self else { break }
                guard let target = try? Self.socket("127.0.0.1", port, isListening: false) else {
                    close(guest)
                    continue
                }
                self.carry(guest, target)
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Pulls the cable at the n-th message from now on, in either direction.
    func pull(at message: Int, _ manner: Manner) {
        lock.withLock { (left, self.manner, wasPulled) = (message, manner, false) }
    }

    /// Pulls it no more.
    func leave() { lock.withLock { left = nil } }

    var isPulled: Bool { lock.withLock { wasPulled } }

    private func carry(_ guest: Int32, _ target: Int32) {
        let ends = DispatchGroup()
        for (from, to) in [(guest, target), (target, guest)] {
            ends.enter()
            Thread.detachNewThread { [self] in
                var buffer = [UInt8](repeating: 0, count: 16 << 10)
                while true {
                    let count = recv(from, &buffer, buffer.count, 0)
                    guard count > 0 else { break }
                    guard !isLost(guest, target) else { continue }
                    send(to, buffer, count, Int32(MSG_NOSIGNAL))
                }
                shutdown(to, Int32(SHUT_WR))
                ends.leave()
            }
        }
        ends.notify(queue: .global()) {
            close(guest)
            close(target)
        }
    }

    /// Counts a message; at the one that was named the cable is out, and put back.
    ///
    /// - Returns: whether the message ends here.
    private func isLost(_ guest: Int32, _ target: Int32) -> Bool {
        let manner: Manner? = lock.withLock {
            guard let now = left else { return nil }
            left = now > 1 ? now - 1 : nil
            wasPulled = wasPulled || now == 1
            return now == 1 ? self.manner : nil
        }
        guard let manner else { return false }
        try? place.setLink(Self.interface, up: false)
        if manner == .givenUp { for end in [guest, target] { shutdown(end, Int32(SHUT_RDWR)) } }
        Thread.detachNewThread { [place] in
            usleep(Self.out)
            try? place.setLink(Self.interface, up: true)
        }
        return manner == .givenUp
    }

    private static func socket(_ host: String, _ port: UInt16, isListening: Bool) throws -> Int32 {
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        let isUsed = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                let size = socklen_t(MemoryLayout<sockaddr_in>.size)
                return isListening
                    ? bind(descriptor, place, size) == 0 && listen(descriptor, 16) == 0
                    : connect(descriptor, place, size) == 0
            }
        }
        guard isUsed else {
            let code = errno
            close(descriptor)
            throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
        }
        return descriptor
    }
}
