extension RecordingLine: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        switch self {
        case .started(let settings, let apis, let startup, let seed):
            writer.field("started")
            writer.put(settings)
            writer.put(apis)
            writer.put(startup)
            writer.put(seed)
        case .event(let event): writer.put(event)
        case .decided(let effects):
            writer.field("decided")
            writer.put(effects)
        case .checkpoint(let machine):
            writer.field("checkpoint")
            writer.put(machine.flightChecksum)
            writer.put(machine)
        }
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        if reader.skip("started") {
            self = .started(
                settings: try reader.take(), apis: try reader.take(), startup: try reader.take(),
                seed: try reader.take())
        } else if reader.skip("decided") {
            self = .decided(try reader.take())
        } else if reader.skip("checkpoint") {
            let checksum = try reader.take(UInt64.self)
            let machine = try reader.take(String.self)
            guard machine.flightChecksum == checksum else { throw reader.malformed }
            self = .checkpoint(machine)
        } else {
            self = .event(try reader.take())
        }
    }
}

extension String {
    /// Detects a corrupt checkpoint: FNV-1a, 64 bits, over the UTF-8 (Fowler, Noll, Vo).
    fileprivate var flightChecksum: UInt64 {
        utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

extension OfflineEvent: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        switch self {
        case .manualRequested(let request): put("manualRequested", request, to: &writer)
        case .manualFlagSaved(let ticket): put("manualFlagSaved", ticket, to: &writer)
        case .manualFlagSaveFailed(let ticket, let error):
            put("manualFlagSaveFailed", ticket, to: &writer)
            writer.put(error)
        case .pathChanged(let status): put("pathChanged", status, to: &writer)
        case .pingFinished(let tag, let result):
            put("pingFinished", tag, to: &writer)
            writer.put(result)
        case .probeFinished(let tag, let target, let result):
            put("probeFinished", tag, to: &writer)
            writer.put(target)
            writer.put(result)
        case .requestFinished(let outcome): put("requestFinished", outcome, to: &writer)
        case .requestStalled(let api, let startedAt):
            put("requestStalled", api, to: &writer)
            writer.put(startedAt)
        case .requestMoves(let since): put("requestMoves", since, to: &writer)
        case .qosResponded(let response, let tag, let sentAt):
            put("qosAnswered", response, to: &writer)
            writer.put(tag)
            writer.put(sentAt)
        case .qosFailed(let tag): put("qosFailed", tag, to: &writer)
        case .canaryFinished(let service, let tag, let good):
            put("canaryFinished", service, to: &writer)
            writer.put(tag)
            writer.put(good)
        case .deliveryChanged(let state): put("deliveryChanged", state, to: &writer)
        case .retryRequested: writer.field("retryRequested")
        case .settingsChanged(let settings): put("settingsChanged", settings, to: &writer)
        case .clockGapObserved(let gap): put("clockGapObserved", gap, to: &writer)
        case .deadlineReached: writer.field("deadlineReached")
        }
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        switch try reader.field() {
        case "manualRequested": self = .manualRequested(try reader.take())
        case "manualFlagSaved": self = .manualFlagSaved(ticket: try reader.take())
        case "manualFlagSaveFailed":
            self = .manualFlagSaveFailed(ticket: try reader.take(), try reader.take())
        case "pathChanged": self = .pathChanged(try reader.take())
        case "pingFinished": self = .pingFinished(try reader.take(), try reader.take())
        case "probeFinished":
            self = .probeFinished(try reader.take(), try reader.take(), try reader.take())
        case "requestFinished": self = .requestFinished(try reader.take())
        case "requestStalled": self = .requestStalled(try reader.take(), startedAt: try reader.take())
        case "requestMoves": self = .requestMoves(since: try reader.take())
        case "qosAnswered":
            self = .qosResponded(try reader.take(), tag: try reader.take(), sentAt: try reader.take())
        case "qosFailed": self = .qosFailed(tag: try reader.take())
        case "canaryFinished":
            self = .canaryFinished(
                service: try reader.take(), tag: try reader.take(), good: try reader.take())
        case "deliveryChanged": self = .deliveryChanged(try reader.take())
        case "retryRequested": self = .retryRequested
        case "settingsChanged": self = .settingsChanged(try reader.take())
        case "clockGapObserved": self = .clockGapObserved(try reader.take())
        case "deadlineReached": self = .deadlineReached
        default: throw reader.malformed
        }
    }

    private func put(_ name: String, _ value: some RecordedValue, to writer: inout RecordingFieldWriter) {
        writer.field(name)
        writer.put(value)
    }
}
