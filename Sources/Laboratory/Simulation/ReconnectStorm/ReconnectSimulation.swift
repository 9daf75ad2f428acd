import Base
import HubCore
import OfflineCore

/// A reconnect storm after a fault of the order service, in simulated time.
///
/// The hub's store fails its probes, QoS decides that the service is faulty, the terminals poll and fill
/// their outboxes. Then the probes are good again and the terminals are admitted. The machines on both sides
/// are the real ones. The link, a till's disk and the cost of a push at the hub are models.
package struct ReconnectSimulation {
    enum Happening {
        case polls(Int)
        case wakes(Int)
        case triesCanary(Int)
        case arrives(ModelledHub.Push)
        case isDone(ModelledHub.Push)
        case responded(ModelledHub.Push, PushOutcome)
        case timesOut(ModelledHub.Push)
    }

    let settings: ReconnectSettings
    var random: SplitMix64
    var terminals: [ModelledTerminal] = []
    var hub: ModelledHub
    var agenda = Agenda<Happening>()
    var outcome = ReconnectOutcome()
    /// When each terminal sent its pending request; a response to an older one is late.
    var sentAt: [Instant?]
    /// The wake-up of each terminal that was scheduled last.
    var wakes: [Instant?]
    /// Mutations without a result, of terminals that return.
    var unsettled: Int64 = 0
    let recovery: Instant

    /// Makes hub, terminals and outboxes from the seed of the settings; ``run()`` runs them.
    package init(_ settings: ReconnectSettings) {
        self.settings = settings
        random = SplitMix64(seed: settings.seed)
        hub = ModelledHub(settings)
        sentAt = Array(repeating: nil, count: settings.terminals)
        wakes = sentAt
        recovery = Instant.start + .seconds(60)
        for number in 0..<settings.terminals { addTerminal(number) }
        outcome.terminals = terminals.count
        outcome.mutations = unsettled
    }

    private mutating func addTerminal(_ number: Int) {
        let width = UInt64(settings.backlog.count)
        let share = Int64(settings.backlog.lowerBound) + Int64(random.below(width))
        let backlog = random.below(100) == 0 ? share * 10 : share
        terminals.append(ModelledTerminal(number, backlog: backlog, seed: random.next()))
        let poll = random.upTo(.seconds(settings.pollSeconds))
        guard random.below(1_000) >= settings.goneOfThousand else { return }
        unsettled += backlog
        outcome.needed += settings.capacityNanoseconds(backlog: backlog)
        agenda.add(.polls(number), at: .start + .seconds(20) + poll)
    }

    /// Runs until the outbox of every returning terminal is empty, at most six simulated hours.
    package mutating func run() -> ReconnectOutcome {
        for second in 1...3 { hub.probe(succeeded: false, at: .start + .seconds(second)) }
        hub.probe(succeeded: false, at: recovery - .seconds(15))
        let end = recovery + .seconds(6 * 3_600)
        while unsettled > 0, let (happening, now) = agenda.next(), now < end { take(happening, at: now) }
        outcome.left = unsettled
        outcome.measuredCapacity = hub.machine.measuredCapacity
        return outcome
    }

    private mutating func take(_ happening: Happening, at now: Instant) {
        switch happening {
        case .polls(let index): poll(index, at: now)
        case .wakes(let index): feed(index, .deadlineReached, at: now)
        case .triesCanary(let index): tryCanary(index, at: now)
        case .arrives(let push): arrive(push, at: now)
        case .isDone(let push): finish(push, at: now)
        case .responded(let push, let response): deliver(response, to: push, at: now)
        case .timesOut(let push): timeOut(push, at: now)
        }
    }
}
