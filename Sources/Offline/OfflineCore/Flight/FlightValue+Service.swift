extension ResumePace: FlightValue {
    func write(to writer: inout FlightWriter) {
        writer.put(after)
        writer.put(ratePerMinute)
    }

    init(from reader: inout FlightReader) throws(FlightLineError) {
        self.init(after: try reader.take(), ratePerMinute: try reader.take())
    }
}

extension ServiceDecision: FlightValue {
    func write(to writer: inout FlightWriter) {
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

    init(from reader: inout FlightReader) throws(FlightLineError) {
        self.init(
            service: try reader.take(), state: try reader.take(), scope: try reader.take(),
            generation: try reader.take(), reason: try reader.take(), source: try reader.take(),
            validity: try reader.take(), pollAfter: try reader.take(), resume: try reader.take())
    }
}

extension QoSResponse: FlightValue {
    func write(to writer: inout FlightWriter) {
        writer.put(issuer)
        writer.put(decisions)
    }

    init(from reader: inout FlightReader) throws(FlightLineError) {
        self.init(issuer: try reader.take(), decisions: try reader.take())
    }
}

extension CoreAPIs: FlightValue {
    func write(to writer: inout FlightWriter) {
        writer.put(services)
        writer.put(core.sorted())
        writer.put(aliases)
    }

    init(from reader: inout FlightReader) throws(FlightLineError) {
        let services = try reader.take([APIRoute: String].self)
        let core = try reader.take([String].self)
        self.init(services: services, core: Set(core), aliases: try reader.take())
    }
}

extension ManualFlag: FlightValue {
    func write(to writer: inout FlightWriter) {
        writer.put(since)
        writer.put(by)
        writer.put(reason)
    }

    init(from reader: inout FlightReader) throws(FlightLineError) {
        self.init(since: try reader.take(), by: try reader.take(), reason: try reader.take())
    }
}

extension ManualFlagOnDisk: FlightValue {
    func write(to writer: inout FlightWriter) {
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

    init(from reader: inout FlightReader) throws(FlightLineError) {
        switch try reader.field() {
        case "absent": self = .absent
        case "set": self = .set(try reader.take())
        case "corrupt": self = .corrupt(detail: try reader.take())
        default: throw reader.malformed
        }
    }
}

extension ManualFlagError: FlightValue {
    func write(to writer: inout FlightWriter) {
        switch self {
        case .notDurable(let path, let call, let code):
            writer.put(path)
            writer.put(call)
            writer.put(Int64(code))
        }
    }

    init(from reader: inout FlightReader) throws(FlightLineError) {
        let path = try reader.take(String.self)
        let call = try reader.take(String.self)
        guard let code = Int32(exactly: try reader.take(Int64.self)) else { throw reader.malformed }
        self = .notDurable(path: path, call: call, code: code)
    }
}

extension ManualRequest: FlightValue {
    func write(to writer: inout FlightWriter) {
        writer.put(ticket)
        writer.put(flag)
    }

    init(from reader: inout FlightReader) throws(FlightLineError) {
        self.init(ticket: try reader.take(), flag: try reader.take())
    }
}

extension StartupState: FlightValue {
    func write(to writer: inout FlightWriter) {
        writer.put(manual)
        writer.put(networkWasDown)
        writer.put(offlineSince)
        writer.put(lastInternetOk)
        writer.put(lastBackendOk)
        writer.put(silences)
    }

    init(from reader: inout FlightReader) throws(FlightLineError) {
        self.init(
            manual: try reader.take(), networkWasDown: try reader.take(), offlineSince: try reader.take(),
            lastInternetOk: try reader.take(), lastBackendOk: try reader.take(), silences: try reader.take())
    }
}

extension SilenceMemory: FlightValue {
    func write(to writer: inout FlightWriter) {
        writer.put(silences)
        writer.put(returns)
    }

    init(from reader: inout FlightReader) throws(FlightLineError) {
        let silences = try reader.take([Int64].self)
        guard let memory = SilenceMemory(silences: silences, returns: try reader.take()) else {
            throw reader.malformed
        }
        self = memory
    }
}
