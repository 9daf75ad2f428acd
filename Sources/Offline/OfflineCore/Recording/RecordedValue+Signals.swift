import Base

extension Instant: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) { writer.put(nanoseconds) }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        self.init(nanoseconds: try reader.take())
    }
}

extension ProbeTag: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        writer.put(epoch)
        writer.put(sequence)
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        self.init(epoch: try reader.take(), sequence: try reader.take())
    }
}

extension PathStatus: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        writer.put(isUsable)
        writer.put(interface)
        writer.put(transport)
        writer.put(isMetered)
        writer.put(isConstrained)
        writer.put(route)
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        self.init(
            isUsable: try reader.take(), interface: try reader.take(), transport: try reader.take(),
            isMetered: try reader.take(), isConstrained: try reader.take(), route: try reader.take())
    }
}

extension PingResult: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        switch self {
        case .responded(let roundTrip):
            writer.field("answered")
            writer.put(roundTrip)
        case .timedOut: writer.field("timedOut")
        case .unavailable: writer.field("unavailable")
        }
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        switch try reader.field() {
        case "answered": self = .responded(roundTrip: try reader.take())
        case "timedOut": self = .timedOut
        case "unavailable": self = .unavailable
        default: throw reader.malformed
        }
    }
}

extension ProbeResult: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        switch self {
        case .good(let roundTrip):
            writer.field("good")
            writer.put(roundTrip)
        case .respondedBadly(let status, let roundTrip):
            writer.field("answeredBadly")
            writer.put(status)
            writer.put(roundTrip)
        case .failed(let failure):
            writer.field("failed")
            writer.put(failure)
        case .portal(let portal):
            writer.field("portal")
            writer.put(portal)
        }
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        switch try reader.field() {
        case "good": self = .good(roundTrip: try reader.take())
        case "answeredBadly":
            self = .respondedBadly(status: try reader.take(), roundTrip: try reader.take())
        case "failed": self = .failed(try reader.take())
        case "portal": self = .portal(try reader.take())
        default: throw reader.malformed
        }
    }
}

extension ServiceFailure: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        switch self {
        case .status(let status):
            writer.field("status")
            writer.put(status)
        case .brokenBody: writer.field("brokenBody")
        case .timedOutAfterConnect: writer.field("timedOutAfterConnect")
        }
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        switch try reader.field() {
        case "status": self = .status(try reader.take())
        case "brokenBody": self = .brokenBody
        case "timedOutAfterConnect": self = .timedOutAfterConnect
        default: throw reader.malformed
        }
    }
}

extension OutcomeClass: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        switch self {
        case .success: writer.field("success")
        case .network(let failure):
            writer.field("network")
            writer.put(failure)
        case .service(let failure):
            writer.field("service")
            writer.put(failure)
        case .auth(let status):
            writer.field("auth")
            writer.put(status)
        case .throttle(let retryAfter):
            writer.field("throttle")
            writer.put(retryAfter)
        case .business(let status):
            writer.field("business")
            writer.put(status)
        case .portal(let portal):
            writer.field("portal")
            writer.put(portal)
        case .cancelled: writer.field("cancelled")
        }
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        switch try reader.field() {
        case "success": self = .success
        case "network": self = .network(try reader.take())
        case "service": self = .service(try reader.take())
        case "auth": self = .auth(status: try reader.take())
        case "throttle": self = .throttle(retryAfter: try reader.take())
        case "business": self = .business(status: try reader.take())
        case "portal": self = .portal(try reader.take())
        case "cancelled": self = .cancelled
        default: throw reader.malformed
        }
    }
}

extension APIRoute: RecordedValue, Comparable {
    func write(to writer: inout RecordingFieldWriter) {
        writer.put(method)
        writer.put(template)
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        self.init(method: try reader.take(), template: try reader.take())
    }

    /// Orders by template, then by method, so that a recording lists routes in one fixed order.
    public static func < (left: APIRoute, right: APIRoute) -> Bool {
        (left.template, left.method) < (right.template, right.method)
    }
}

extension RequestOutcome: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        writer.put(api)
        writer.put(outcome)
        writer.put(startedAt)
        writer.put(firstByteAt)
        writer.put(finishedAt)
        writer.put(retryAfter)
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        self.init(
            api: try reader.take(), outcome: try reader.take(), startedAt: try reader.take(),
            firstByteAt: try reader.take(), finishedAt: try reader.take(), retryAfter: try reader.take())
    }
}

extension DeliveryState: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        switch trouble {
        case nil: writer.field("well")
        case .account: writer.field("account")
        case .route(let reason, let problem):
            writer.field("route")
            writer.put(reason)
            writer.put(problem)
        case .entries(let reason, let problem):
            writer.field("entries")
            writer.put(reason)
            writer.put(problem)
        }
        writer.put(entries)
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        let trouble: Trouble? =
            switch try reader.field() {
            case "well": nil
            case "account": .account
            case "route": .route(try reader.take(), problem: try reader.take())
            case "entries": .entries(try reader.take(), problem: try reader.take())
            default: throw reader.malformed
            }
        self.init(trouble: trouble, entries: try reader.take())
    }
}
