import Base
import HubCore
import OfflineCore

extension ReconnectSimulation {
    /// A terminal polls the decision until the service is healthy and the terminal has returned.
    mutating func poll(_ index: Int, at now: Instant) {
        let (decision, pollAfter) = hub.decide(for: terminals[index], at: now)
        outcome.polls += 1
        if let decision, decision.state != .faulty {
            let pace = settings.isPaced ? decision.resume : nil
            terminals[index].takeTurn(pace, at: now)
            if let pace { feed(index, .paced(pace), at: now) }
            if let turn = terminals[index].turn, !terminals[index].isBack {
                agenda.add(.triesCanary(index), at: max(now, turn))
            }
            if decision.state == .healthy, terminals[index].isBack { return }
        }
        agenda.add(.polls(index), at: now + random.jittered(pollAfter, perMille: 200))
    }

    mutating func tryCanary(_ index: Int, at now: Instant) {
        guard let turn = terminals[index].turn, turn <= now, terminals[index].begins() else { return }
        feed(index, .canaryRequested, at: now)
    }

    /// Sends an event to a terminal's outbox machine and performs its effects.
    mutating func feed(_ index: Int, _ event: OutboxEvent, at now: Instant) {
        var events = [event]
        while !events.isEmpty {
            for effect in terminals[index].machine.handle(events.removeFirst(), at: now) {
                if let next = perform(effect, of: index, at: now) { events.append(next) }
            }
        }
        if let deadline = terminals[index].machine.deadline, deadline != wakes[index] {
            wakes[index] = deadline
            agenda.add(.wakes(index), at: max(now, deadline))
        }
    }

    private mutating func perform(
        _ effect: OutboxEffect, of index: Int, at now: Instant
    ) -> OutboxEvent? {
        switch effect {
        case .load(let sequence, let limit):
            return terminals[index].page(after: sequence, limit: limit)
        case .push(let ids):
            send(ModelledHub.Push(terminal: index, ids: ids, sentAt: now), at: now)
            return nil
        case .write(.record(let results, _)):
            settle(results.count { $0.outcome.isFinal }, of: index, at: now)
            return .written
        case .write(.reopen), .write(.note), .write(.adopt), .write(.keep):
            return .written
        case .finishCanary(let good):
            guard let next = terminals[index].noteCanary(good: good) else {
                agenda.add(.triesCanary(index), at: now + .seconds(settings.pollSeconds))
                return nil
            }
            return next
        case .announceResults, .announceDelivery, .measurePath, .useSmallSegments, .endWaits, .endAllWaits,
            .finishSync:
            return nil
        }
    }

    private mutating func settle(_ results: Int, of index: Int, at now: Instant) {
        terminals[index].settle(results)
        unsettled -= Int64(results)
        if unsettled == 0 { outcome.drained = (now - recovery).wholeNanoseconds }
    }
}

/// The link to the hub, and its store.
extension ReconnectSimulation {
    private mutating func send(_ push: ModelledHub.Push, at now: Instant) {
        outcome.pushes += 1
        sentAt[push.terminal] = now
        agenda.add(.arrives(push), at: now + latency())
        agenda.add(.timesOut(push), at: now + .seconds(settings.timeoutSeconds))
    }

    private mutating func latency() -> Duration {
        .milliseconds(20) + random.upTo(.milliseconds(60))
    }

    mutating func arrive(_ push: ModelledHub.Push, at now: Instant) {
        guard hub.enqueue(push, at: now) else {
            outcome.refused += 1
            let refusal = PushOutcome.hubTrouble(.service(.status(503)), retryAfter: .seconds(1))
            agenda.add(.responded(push, refusal), at: now + latency())
            return
        }
        outcome.longestQueue = max(outcome.longestQueue, hub.waiting)
        if !hub.isBusy { beginNext(at: now) }
    }

    mutating func finish(_ push: ModelledHub.Push, at now: Instant) {
        hub.finish(push, of: terminals[push.terminal], at: now)
        let results = push.ids.map { PushResult(id: $0, outcome: .applied, document: "") }
        let response = PushOutcome.results(results, acknowledgedThrough: nil, missing: [])
        agenda.add(.responded(push, response), at: now + latency())
        beginNext(at: now)
    }

    private mutating func beginNext(at now: Instant) {
        guard let (push, cost) = hub.begin() else { return }
        agenda.add(.isDone(push), at: now + cost)
    }

    mutating func deliver(_ response: PushOutcome, to push: ModelledHub.Push, at now: Instant) {
        guard sentAt[push.terminal] == push.sentAt else { return }
        sentAt[push.terminal] = nil
        outcome.longestWait = max(outcome.longestWait, (now - push.sentAt).wholeNanoseconds)
        feed(push.terminal, .pushFinished(response), at: now)
    }

    mutating func timeOut(_ push: ModelledHub.Push, at now: Instant) {
        guard sentAt[push.terminal] == push.sentAt else { return }
        sentAt[push.terminal] = nil
        outcome.timeouts += 1
        feed(push.terminal, .pushFinished(.hubTrouble(.network(.silent), retryAfter: nil)), at: now)
    }
}
