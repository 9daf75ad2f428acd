extension UploadMachine {
    /// Steps without progress that an upload may take before it waits: a leave that ran out, or a hub that
    /// was restored from a backup and begins anew.
    private static let freeSetbacks = 2

    mutating func take(_ answer: UploadAnswer, at now: Instant, _ effects: inout [UploadEffect]) {
        let upload: PendingUpload
        var sent: Int64 = 0
        switch activity {
        case .resting, .listing, .finishing, .noting: return
        case .announcing(let announced): upload = announced
        case .asking, .sending:
            if case .sending(let count) = activity { sent = count }
            guard let going = current?.upload else { return }
            upload = going
        }
        activity = .resting
        switch answer {
        case .granted(let chunkSize):
            hubWait.reset()
            current = Current(upload: upload, chunkSize: max(1, chunkSize), position: nil)
        case .at(let received): goOn(from: received, after: sent, of: upload, at: now)
        case .whole:
            hubWait.reset()
            activity = .finishing(id: upload.id)
            effects.append(.finish(id: upload.id))
        case .grantRefused:
            current = nil
            setBack(upload, at: now)
        case .digestMismatch:
            hold(
                upload, "the hub found other bytes than were announced; all is sent again", at: now, &effects)
        case .refused(let words), .fileTrouble(let words): hold(upload, words, at: now, &effects)
        case .hubTrouble(let retryAfter):
            current?.position = nil
            chunk = max(settings.smallestChunk, chunk / 2)
            hubWait.fail(retryAfter: retryAfter, at: now, using: &generator)
        }
    }

    /// The hub's word counts, whatever was sent. One that takes what is sent and does not come on is waited
    /// for.
    private mutating func goOn(
        from received: Int64, after sent: Int64, of upload: PendingUpload, at now: Instant
    ) {
        hubWait.reset()
        let before = current?.position
        let position = min(max(0, received), upload.size)
        current?.position = position
        if let before, sent > 0, position == before + sent {
            setbacks[upload.id] = nil
            chunk = min(chunk * 2, max(chunk, current?.chunkSize ?? chunk))
        } else if sent > 0 || position == upload.size {
            setBack(upload, at: now)
        }
    }

    private mutating func setBack(_ upload: PendingUpload, at now: Instant) {
        setbacks[upload.id, default: 0] += 1
        if setbacks[upload.id, default: 0] > Self.freeSetbacks { hold(upload, at: now) }
    }

    /// The upload waits, and begins with its announcement then.
    private mutating func hold(_ upload: PendingUpload, at now: Instant) {
        waits[upload.id, default: RetryWait(settings.outbox)].fail(at: now, using: &generator)
        current = nil
    }

    private mutating func hold(
        _ upload: PendingUpload, _ problem: String, at now: Instant, _ effects: inout [UploadEffect]
    ) {
        hubWait.reset()
        hold(upload, at: now)
        activity = .noting(id: upload.id, problem: problem)
        effects.append(.note(id: upload.id, problem: problem))
    }
}
