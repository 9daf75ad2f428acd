extension UploadMachine {
    /// Takes up the next thing if the hands are free and nothing stands against it. Harmless to repeat.
    mutating func proceed(at now: Instant, _ effects: inout [UploadEffect]) {
        guard activity == .resting else { return }
        guard !storeWait.holds(at: now) else { return endSync(&effects) }
        if mustList {
            mustList = false
            activity = .listing
            effects.append(.list)
            return
        }
        guard !hubWait.holds(at: now), let next = nextUpload(at: now) else { return endSync(&effects) }
        if current?.upload != next { current = nil }
        guard let going = current else {
            activity = .announcing(next)
            effects.append(.announce(id: next.id))
            return
        }
        proceed(with: going, &effects)
    }

    private mutating func proceed(with going: Current, _ effects: inout [UploadEffect]) {
        let id = going.upload.id
        // With all its bytes and no word of the digest the hub has to look at it first.
        guard let position = going.position, position < going.upload.size else {
            activity = .asking
            effects.append(.ask(id: id))
            return
        }
        let ceiling = linkIsDegraded ? min(settings.degradedChunk, going.chunkSize) : going.chunkSize
        let count = max(1, min(chunk, ceiling, going.upload.size - position))
        activity = .sending(count: count)
        effects.append(.send(id: id, from: position, count: count))
    }

    /// The one that goes on, unless an urgent one came; else the first urgent one, else the oldest.
    private func nextUpload(at now: Instant) -> PendingUpload? {
        let free = permitted.filter { !(waits[$0.id]?.holds(at: now) ?? false) }
        let urgent = free.filter(\.isUrgent)
        let candidates = urgent.isEmpty ? free : urgent
        return candidates.first { $0 == current?.upload } ?? candidates.first
    }

    mutating func take(_ found: [PendingUpload]) {
        guard case .listing = activity else { return }
        activity = .resting
        storeWait.reset()
        uploads = found
        let ids = Set(found.map(\.id))
        waits = waits.filter { ids.contains($0.key) }
        setbacks = setbacks.filter { ids.contains($0.key) }
        if let going = current, !found.contains(going.upload) { current = nil }
    }

    mutating func finishWriting() {
        switch activity {
        case .resting, .listing, .announcing, .asking, .sending: return
        case .finishing(let id):
            uploads.removeAll { $0.id == id }
            waits[id] = nil
            setbacks[id] = nil
            current = nil
            sync?.finished += 1
        case .noting: break
        }
        activity = .resting
        storeWait.reset()
    }

    /// Nothing is lost: the list is read again, and of an upload that is whole the hub says so again.
    mutating func failStore(at now: Instant) {
        switch activity {
        case .resting, .announcing, .asking, .sending: return
        case .listing: mustList = true
        case .finishing: current?.position = nil
        case .noting: break
        }
        activity = .resting
        storeWait.fail(at: now, using: &generator)
    }

    private mutating func endSync(_ effects: inout [UploadEffect]) {
        guard let ended = sync else { return }
        sync = nil
        effects.append(.finishSync(finished: ended.finished))
    }
}
