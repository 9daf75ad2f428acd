internal import Base
internal import HubProtocol
internal import Logging
internal import MachineRuntime
internal import Neighbours
internal import TerminalStore

/// What the lists of notes need of the agent.
struct NoteSurroundings: Sendable {
    let terminalId: String
    let time: any SystemTime
    let logger: Logger
    let files: NoteFiles
    /// Of this till's journal.
    let epoch: Int64
    /// How long one neighbour is waited for before another one is requested the same.
    let wait: Duration
    let sign: @Sendable ([UInt8]) -> String?
    /// Where this till's journal ends, and up to which sequence the hub has results; nil where that cannot be
    /// read.
    let journal: @Sendable () async -> (end: JournalMark, acknowledgedThrough: Int64)?
    /// What this till's own list does not say yet; nothing where that cannot be read.
    let news: @Sendable (NoteState) async -> [NoteRequest]
    /// What changes in this till.
    let revisions: StatusRevisions
    /// Who grants rights of this till by its notes, and claims those of others; nil: nobody does.
    var claims: ClaimExchange?
    /// What is in others' parked carts follows their notes; nil: it is not kept.
    var cartContents: CartContents?
}

/// The lists of notes of the store's tills, as this till has them, until the run ends.
///
/// No sale waits for anything of it.
final class NoteExchange: Sendable {
    private let around: NoteSurroundings
    private let driver: MachineDriver<NoteLists>

    /// Reads what is on disk.
    init(_ around: NoteSurroundings) async {
        self.around = around
        let (notes, forks) = await around.files.load()
        var seeds = SystemRandomNumberGenerator()
        driver = MachineDriver(
            NoteLists(
                terminalId: around.terminalId, epoch: around.epoch, stored: notes, forks: forks,
                wait: around.wait, seed: seeds.next(), at: around.time.now()), time: around.time
        ) { [.deadlineReached] }
    }

    /// What all notes say of rights.
    var storeNotes: StoreNotes { driver.withMachine { $0.storeNotes } }

    /// What this till names to others.
    var heads: [NoteHead] { driver.withMachine { Array($0.heads.prefix(NeighbourHello.mostLists)) } }

    /// The carts that other tills have parked, by those tills.
    var carts: [String: [ParkedCart]] {
        let (notes, own) = driver.withMachine { ($0.storeNotes, $0.terminalId) }
        return Dictionary(grouping: notes.openCarts.filter { $0.owner != own }, by: \.owner)
            .mapValues { $0.map(\.cart) }
    }

    /// What all notes say of rights, and the present epoch of each maker.
    var storeCarts: (notes: StoreNotes, epochs: [String: Int64]) {
        driver.withMachine { lists in
            let epochs = lists.lists.keys.map { ($0.terminalId, $0.epoch) }
            return (lists.storeNotes, Dictionary(epochs, uniquingKeysWith: max))
        }
    }

    /// Of this till's journal, as it was read some seconds ago at most.
    var epoch: Int64 { driver.withMachine { $0.epoch } }

    /// Whether this till writes notes; it does not where another one has a note of it that its disk lacks.
    var isBehind: Bool { driver.withMachine { $0.status == .behind } }

    func take(_ keys: [TerminalKey]) {
        driver.post(.keysChanged(keys))
        around.claims?.take(keys)
    }

    /// Writes a note of this till.
    func request(_ note: NoteRequest) { driver.post(.noteRequested(note)) }

    /// Takes what a till said in its hello.
    func take(_ hello: NeighbourHello, epoch: Int64?) {
        driver.post(.headsHeard(from: hello.terminalId, hello.notes))
        guard let epoch else { return }
        driver.post(
            .acknowledged(NoteListKey(hello.terminalId, epoch), through: hello.acknowledgedThrough))
    }

    /// The response to a till that requests notes.
    func page(_ request: NotePageRequest) async -> NotePage {
        let list = NoteListKey(request.terminalId, request.epoch)
        return NotePage(notes: await around.files.page(of: list, after: request.after).map(\.json))
    }

    /// - Parameter pull: requests notes of a neighbour; nil: no response that can be read.
    func run(pull: @escaping @Sendable (String, NotePageRequest) async -> NotePage?) async {
        await withDiscardingTaskGroup { group in
            group.addTask { [self] in await followOwn() }
            around.claims?.connect { [driver] in driver.post(.noteRequested($0)) }
            await driver.run(in: &group) { event, effects, _ in
                reportToClaims(event)
                return effects.filter { effect in
                    switch effect {
                    case .raise(let alarm): around.logger.critical("notes of the store's tills: \(alarm)")
                    case .refuse(let request): around.claims?.refused(request)
                    case .saveOwn, .save, .pull, .drop, .forget: return true
                    }
                    return false
                }
            } perform: { [self] effect, _ in
                await perform(effect, pull)
            }
        }
    }

    /// What the lists say of rights is another picture after these events, or whether this till writes notes.
    private func reportToClaims(_ event: NoteEvent) {
        guard let claims = around.claims else { return }
        switch event {
        case .ownSaved, .saved, .epochRaised, .deadlineReached, .pulled, .keysChanged:
            around.cartContents?.nudge()
            let (notes, isReady, epoch) = driver.withMachine {
                ($0.storeNotes, $0.status == .writing, $0.epoch)
            }
            claims.take(notes, isReady: isReady, epoch: epoch)
        case .noteRequested, .ownRefused, .saveFailed, .headsHeard, .pullFailed, .acknowledged,
            .journalMoved:
            break
        }
    }

    /// Writes what others may know of this till, some seconds after it happened.
    private func followOwn() async {
        while !Task.isCancelled {
            let seen = around.revisions.current
            if let journal = await around.journal() {
                driver.post(.epochRaised(journal.end.epoch))
                driver.post(.journalMoved(journal.end))
                let own = NoteListKey(around.terminalId, journal.end.epoch)
                driver.post(.acknowledged(own, through: journal.acknowledgedThrough))
            }
            let known = driver.withMachine { lists in
                lists.isIdle ? lists.lists[lists.own]?.state ?? NoteState() : nil
            }
            if let known {
                for request in await around.news(known) { driver.post(.noteRequested(request)) }
            }
            // Several changes that follow each other are looked at once.
            try? await around.time.sleep(until: around.time.now() + NeighbourLimits.noteLook)
            await around.revisions.wait(after: seen, limit: NeighbourLimits.noteRest)
        }
    }

    private func perform(
        _ effect: NoteEffect, _ pull: @Sendable (String, NotePageRequest) async -> NotePage?
    ) async {
        switch effect {
        case .saveOwn(let draft):
            guard let note = NeighbourNote(draft, terminalId: around.terminalId, sign: around.sign) else {
                return driver.post(.ownRefused)
            }
            let isSaved = (try? await around.files.append([note], fork: nil)) != nil
            if isSaved { await around.claims?.written(note) }
            driver.post(isSaved ? .ownSaved(note) : .saveFailed)
        case .save(let notes, let fork):
            let isSaved = (try? await around.files.append(notes, fork: fork)) != nil
            driver.post(isSaved ? .saved : .saveFailed)
        case .pull(let peer, let list, let after):
            let request = NotePageRequest(terminalId: list.terminalId, epoch: list.epoch, after: after)
            guard let page = await pull(peer, request) else { return driver.post(.pullFailed(from: peer)) }
            driver.post(.pulled(from: peer, page.notes.compactMap { try? NeighbourNote(json: $0) }))
        case .drop(let list, let number): await around.files.drop(list, below: number)
        case .forget(let list): await around.files.forget(list)
        case .refuse, .raise: break
        }
    }
}
