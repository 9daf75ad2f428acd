import Base
internal import OfflineCore
internal import MachineRuntime

extension OutboxDrainer {
    /// Resumes the waiters that `effect` concerns.
    ///
    /// - Returns: false for an effect that takes time and is left to ``perform(_:)``.
    func notify(_ effect: OutboxEffect) -> Bool {
        switch effect {
        case .load, .push, .write, .measurePath: return false
        case .announceResults(let results):
            for result in results { items[result.id] = nil }
            waits.announce(results.filter { $0.outcome == .applied }.map(\.id))
            waits.end(of: results.filter { $0.outcome != .applied }.map(\.id))
        case .endWaits(let ids): waits.end(of: ids)
        case .endAllWaits: waits.endAll()
        case .announceDelivery(let state): onDelivery(state)
        case .finishCanary(let good): endCanaries(good: good)
        case .finishSync(let report): syncs.finish(report)
        case .useSmallSegments(let areUsed): uplink.useSmallSegments(areUsed)
        }
        return true
    }

    /// Reads, sends or writes, and puts the result into the inbox.
    func perform(_ effect: OutboxEffect) async {
        switch effect {
        case .load(let after, let limit): await load(after: after, limit: limit)
        case .push(let ids): await push(ids)
        case .write(let write): await self.write(write)
        case .measurePath:
            driver.post(.pathMeasured(largePacketsPass: await uplink.largePacketsPass()))
        case .announceResults, .endWaits, .endAllWaits, .announceDelivery, .finishCanary, .finishSync,
            .useSmallSegments:
            break
        }
    }

    func endCanaries(good: Bool) {
        for canary in canaries.values { canary.resume(returning: good) }
        canaries = [:]
    }

    private func load(after sequence: Int64, limit: Int) async {
        do {
            let page = try await storage.pending(after: sequence, limit: limit)
            if sequence == 0 { items = [:] }
            for item in page { items[item.id] = item }
            let entries = page.map {
                OutboxEntry(
                    id: $0.id, sequence: $0.sequence, orderingKey: $0.orderingKey, bytes: $0.body.count,
                    isHeld: $0.isHeld, isSetAside: $0.isSetAside)
            }
            driver.post(.loaded(entries, reachedEnd: page.count < limit))
        } catch {
            driver.post(.storeFailed)
        }
    }

    private func push(_ ids: [String]) async {
        let rows = ids.compactMap { items[$0] }
        guard rows.count == ids.count, let depth = try? await storage.depth() else {
            driver.post(.rowsChanged)
            driver.post(.storeFailed)
            return
        }
        let start = time.now()
        let outcome = await uplink.push(rows, at: depth)
        noteWaitBudget(with: outcome, took: time.now() - start)
        driver.post(.pushFinished(outcome))
    }

    private func noteWaitBudget(with outcome: PushOutcome, took elapsed: Duration) {
        guard case .results(let results, _, _) = outcome, results.contains(where: \.outcome.isFinal) else {
            return
        }
        saleWaits.update { $0.noteResponse(of: CashierWaitBudget.order, took: elapsed) }
    }

    private func write(_ write: OutboxWrite) async {
        do {
            switch write {
            case .record(let results, let acknowledgedThrough):
                let reopened = try await storage.record(results, acknowledgedThrough: acknowledgedThrough)
                if reopened > 0 { driver.post(.rowsChanged) }
            case .reopen(let sequences): try await storage.reopen(sequences: sequences)
            case .note(let problem, let id): try await storage.note(problem: problem, of: id)
            case .adopt(let epoch, let headSequence, let headHash, let headOrderNumber):
                try await storage.adopt(
                    epoch: epoch, headSequence: headSequence, headHash: headHash,
                    headOrderNumber: headOrderNumber)
            case .keep(let journal): try await storage.keep(journal)
            }
            driver.post(.written)
        } catch {
            driver.post(.storeFailed)
        }
    }
}
