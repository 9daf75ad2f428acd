extension ResumePace: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        writer.put(after)
        writer.put(ratePerMinute)
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        self.init(after: try reader.take(), ratePerMinute: try reader.take())
    }
}

extension ServiceDecision: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        writer.put(service)
        writer.put(state)
        writer.put(scope)
        writer.put(generation)
        writer.put(reason)
        writer.put(source)
        writer.put(validity)
        writer.put(pollAfter)
        writer.put(resume)
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        self.init(
            service: try reader.take(), state: try reader.take(), scope: try reader.take(),
            generation: try reader.take(), reason: try reader.take(), source: try reader.take(),
            validity: try reader.take(), pollAfter: try reader.take(), resume: try reader.take())
    }
}

extension QoSResponse: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        writer.put(issuer)
        writer.put(decisions)
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        self.init(issuer: try reader.take(), decisions: try reader.take())
    }
}

extension CoreAPIs: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        writer.put(services)
        writer.put(core.sorted())
        writer.put(aliases)
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        let services = try reader.take([APIRoute: String].self)
        let core = try reader.take([String].self)
        self.init(services: services, core: Set(core), aliases: try reader.take())
    }
}

extension ManualFlag: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        writer.put(since)
        writer.put(by)
        writer.put(reason)
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        self.init(since: try reader.take(), by: try reader.take(), reason: try reader.take())
    }
}

extension ManualFlagOnDisk: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        switch self {
        case .absent: writer.field("absent")
        case .set(let flag):
            writer.field("set")
            writer.put(flag)
        case .corrupt(let detail):
            writer.field("corrupt")
            writer.put(detail)
        }
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        switch try reader.field() {
        case "absent": self = .absent
        case "set": self = .set(try reader.take())
        case "corrupt": self = .corrupt(detail: try reader.take())
        default: throw reader.malformed
        }
    }
}

extension ManualFlagError: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        switch self {
        case .notDurable(let path, let call, let code):
            writer.put(path)
            writer.put(call)
            writer.put(Int64(code))
        }
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        let path = try reader.take(String.self)
        let call = try reader.take(String.self)
        guard let code = Int32(exactly: try reader.take(Int64.self)) else { throw reader.malformed }
        self = .notDurable(path: path, call: call, code: code)
    }
}

extension ManualRequest: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        writer.put(ticket)
        writer.put(flag)
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        self.init(ticket: try reader.take(), flag: try reader.take())
    }
}

extension StartupState: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        writer.put(manual)
        writer.put(networkWasDown)
        writer.put(offlineSince)
        writer.put(lastInternetOk)
        writer.put(lastBackendOk)
        writer.put(silences)
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        self.init(
            manual: try reader.take(), networkWasDown: try reader.take(), offlineSince: try reader.take(),
            lastInternetOk: try reader.take(), lastBackendOk: try reader.take(), silences: try reader.take())
    }
}

extension SilenceMemory: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        writer.put(silences)
        writer.put(returns)
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        let silences = try reader.take([Int64].self)
        guard let memory = SilenceMemory(silences: silences, returns: try reader.take()) else {
            throw reader.malformed
        }
        self = memory
    }
}
