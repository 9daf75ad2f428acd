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
    /// A cart as its owner's note says.
    private struct Wanted {
        let owner: String
        let cart: String
        let mark: CartMark
    }

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

    /// With the ownership in which it was so.
    func content(of cart: String) async -> (content: MovedCart, turn: Int64)? {
        await files.content(of: cart)
    }

    /// - Parameters:
    ///   - notes: what they say of carts, and the present epoch of each maker.
    ///   - fetch: requests what is in a cart of its till; nil: no response.
    func run(
        _ time: any SystemTime, notes: @Sendable () -> (notes: StoreNotes, epochs: [String: Int64]),
        fetch: @Sendable (String, CartRequest) async -> CartContentResponse?
    ) async {
        for await _ in changes {
            let (notes, epochs) = notes()
            let open = notes.openCarts
            let wanted = wanted(of: open, epochs)
            let under = await onTheWay(beside: Set(open.map(\.cart.id)), notes)
            await files.keep(under.union(wanted.map(\.cart)))
            var silent: Set<String> = []
            for next in wanted where !silent.contains(next.owner) {
                guard await files.mark(of: next.cart) != next.mark else { continue }
                try? await time.sleep(until: time.now() + NeighbourLimits.cartRest)
                guard let response = await fetch(next.owner, CartRequest(next.cart)) else {
                    silent.insert(next.owner)
                    continue
                }
                if let content = response.cart { await files.save(content, of: next.cart, next.mark) }
            }
        }
    }

    /// At most ``NeighbourLimits/cartsCopied`` of each till, those that were begun last.
    private func wanted(
        of parked: [(owner: String, cart: ParkedCart)], _ epochs: [String: Int64]
    ) -> [Wanted] {
        let others = parked.filter { $0.owner != terminalId && ULID($0.cart.id) != nil }
        return Dictionary(grouping: others, by: \.owner).values.flatMap { carts in
            carts.sorted { $0.cart.id > $1.cart.id }.prefix(NeighbourLimits.cartsCopied).map { owner, cart in
                Wanted(
                    owner: owner, cart: cart.id, mark: CartMark(epoch: epochs[owner] ?? 0, turn: cart.turn))
            }
        }
    }

    /// Carts whose takers have not named them yet: one that ends before it does leaves no other lines than
    /// these. At most ``NeighbourLimits/cartsCopied``, those that were begun last.
    private func onTheWay(beside open: Set<String>, _ notes: StoreNotes) async -> Set<String> {
        let given = await files.carts.filter { cart in
            if !open.contains(cart), case .granted? = notes.whereabouts(of: cart) { true } else { false }
        }
        return Set(given.sorted(by: >).prefix(NeighbourLimits.cartsCopied))
    }
}

/// Which note said what is in a file: a maker's turns begin anew with its epoch.
private struct CartMark: Hashable {
    let epoch: Int64
    let turn: Int64
}

/// The folder of ``CartContents``. What a power cut takes comes again from its till.
private actor CartFiles {
    private let folder: String

    init(folder: String) { self.folder = folder }

    /// The carts whose content is here.
    var carts: Set<String> { Set(all.map(Self.cart(of:))) }

    /// Nil: its content is not here.
    func mark(of cart: String) -> CartMark? { file(of: cart)?.mark }

    func content(of cart: String) -> (content: MovedCart, turn: Int64)? {
        guard let (name, mark) = file(of: cart), let bytes = (try? HomeFile.read("\(folder)/\(name)")) ?? nil,
            let content = (try? JSONParser.parse(bytes)).flatMap({ try? MovedCart(json: $0) })
        else { return nil }
        return (content, mark.turn)
    }

    func save(_ content: MovedCart, of cart: String, _ mark: CartMark) {
        mkdir(folder, 0o700)
        let bytes = content.json.canonicalBytes
        guard bytes.count <= NeighbourLimits.documentBytes else { return }
        let before = all.filter { Self.cart(of: $0) == cart }
        let name = "\(cart)_\(mark.epoch)_\(mark.turn)"
        guard (try? DurableFile.replace("\(folder)/\(name)", with: bytes, temporaryName: "cart.new")) != nil
        else { return }
        for old in before where old != name { unlink("\(folder)/\(old)") }
    }

    func keep(_ carts: Set<String>) {
        for name in all where !carts.contains(Self.cart(of: name)) { unlink("\(folder)/\(name)") }
    }

    private var all: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }

    private static func cart(of name: String) -> String { String(name.prefix { $0 != "_" }) }

    /// Of two, which a kill between them leaves, the newer one.
    private func file(of cart: String) -> (name: String, mark: CartMark)? {
        let files = all.compactMap { name -> (name: String, mark: CartMark)? in
            let parts = name.split(separator: "_")
            guard parts.count == 3, parts[0] == cart, let epoch = Int64(parts[1]), let turn = Int64(parts[2])
            else { return nil }
            return (name, CartMark(epoch: epoch, turn: turn))
        }
        return files.max { ($0.mark.epoch, $0.mark.turn) < ($1.mark.epoch, $1.mark.turn) }
    }
}
