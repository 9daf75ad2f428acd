internal import Base
internal import Foundation
internal import Glibc
internal import HubProtocol
internal import MachineRuntime
internal import Neighbours
internal import TerminalStore

/// What is in the parked carts of other tills, for a person who copies one whose till is silent: a file for
/// each, which goes when nobody can sell that cart there any more.
final class CartContents: Sendable {
    private let files: CartFiles
    private let terminalId: String
    private let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation

    init(folder: String, terminalId: String) {
        files = CartFiles(folder: folder)
        self.terminalId = terminalId
        (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Notes came, or a till can be reached.
    func nudge() { change.yield() }

    func content(of cart: String) async -> MovedCart? { await files.content(of: cart) }

    /// - Parameters:
    ///   - parked: the carts of the store that are parked, by the notes.
    ///   - fetch: requests what is in a cart of its till; nil: no response.
    func run(
        _ time: any SystemTime, parked: @Sendable () -> [(owner: String, cart: ParkedCart)],
        fetch: @Sendable (String, CartRequest) async -> CartContentResponse?
    ) async {
        for await _ in changes {
            let wanted = wanted(of: parked())
            await files.keep(Set(wanted.map(\.cart.id)))
            var silent: Set<String> = []
            for (owner, cart) in wanted where !silent.contains(owner) {
                guard await files.turn(of: cart.id) < cart.turn else { continue }
                try? await time.sleep(until: time.now() + NeighbourLimits.cartRest)
                guard let response = await fetch(owner, CartRequest(cart.id)) else {
                    silent.insert(owner)
                    continue
                }
                if let content = response.cart { await files.save(content, of: cart.id, turn: cart.turn) }
            }
        }
    }

    /// At most ``NeighbourLimits/cartsCopied`` of each till, those that were begun last.
    private func wanted(
        of parked: [(owner: String, cart: ParkedCart)]
    ) -> [(owner: String, cart: ParkedCart)] {
        let others = parked.filter { $0.owner != terminalId && ULID($0.cart.id) != nil }
        return Dictionary(grouping: others, by: \.owner).values.flatMap { carts in
            carts.sorted { $0.cart.id > $1.cart.id }.prefix(NeighbourLimits.cartsCopied)
        }
    }
}

/// The folder of ``CartContents``. What a power cut takes comes again from its till.
private actor CartFiles {
    private let folder: String

    init(folder: String) { self.folder = folder }

    /// The ownership of a cart whose content is here; 0: it is not.
    func turn(of cart: String) -> Int64 { names(of: cart).map(\.turn).max() ?? 0 }

    func content(of cart: String) -> MovedCart? {
        guard let newest = names(of: cart).max(by: { $0.turn < $1.turn })?.name,
            let bytes = (try? HomeFile.read("\(folder)/\(newest)")) ?? nil
        else { return nil }
        return (try? JSONParser.parse(bytes)).flatMap { try? MovedCart(json: $0) }
    }

    func save(_ content: MovedCart, of cart: String, turn: Int64) {
        mkdir(folder, 0o700)
        let bytes = content.json.canonicalBytes
        guard bytes.count <= NeighbourLimits.documentBytes else { return }
        let before = names(of: cart).map(\.name)
        let name = "\(cart)_\(turn)"
        guard (try? DurableFile.replace("\(folder)/\(name)", with: bytes, temporaryName: "cart.new")) != nil
        else { return }
        for old in before where old != name { unlink("\(folder)/\(old)") }
    }

    func keep(_ carts: Set<String>) {
        for name in all where !carts.contains(String(name.prefix { $0 != "_" })) {
            unlink("\(folder)/\(name)")
        }
    }

    private var all: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }

    private func names(of cart: String) -> [(name: String, turn: Int64)] {
        all.compactMap { name in
            guard name.hasPrefix(cart + "_"), let turn = Int64(name.dropFirst(cart.utf8.count + 1)) else {
                return nil
            }
            return (name, turn)
        }
    }
}
