import Base

/// What a terminal counted of its own requests, as the QoS service takes it (http.md section 7).
package struct QoSReportShape: Hashable, Sendable {
    /// The requests of one service.
    package struct Counts: Hashable, Sendable {
        /// For example `order` or `payment`.
        package let service: String
        /// Requests that succeeded within the window, from 0 to ``QoSReportShape/maximumCount``.
        package let ok: Int64
        /// By kind: `timeout`, `http5xx`, `connect`, `tls`, `dns`, or one that is not known yet.
        package let failed: [String: Int64]

        /// Makes counts without a check; reading a report clamps them.
        package init(service: String, ok: Int64, failed: [String: Int64]) {
            self.service = service
            self.ok = ok
            self.failed = failed
        }
    }

    /// Milliseconds since 1970; nil where the terminal names no moment that can be read. Likewise
    /// ``windowEnd``.
    package let windowStart: Int64?
    /// When the report was made; later requests belong to the next one.
    package let windowEnd: Int64?
    /// Only services that had requests in the window; at most ``maximumServices``.
    package let services: [Counts]
    /// The generation that the terminal knows of each service.
    package let knownGeneration: [String: Int64]

    /// More services than this in one report are not the contract's.
    package static let maximumServices = 64
    /// The most that one window can hold of one count.
    package static let maximumCount: Int64 = 100_000

    /// Makes a report without a check; the hub counts a window once for each terminal and `windowStart`.
    package init(
        windowStart: Int64?, windowEnd: Int64?, services: [Counts], knownGeneration: [String: Int64]
    ) {
        self.windowStart = windowStart
        self.windowEnd = windowEnd
        self.services = services
        self.knownGeneration = knownGeneration
    }

    /// Reads a report whole: counts out of range are brought into `0...maximumCount`.
    ///
    /// - Throws: ``ShapeError`` when it has no `services`, more than ``maximumServices``, or counts that are
    ///   no whole numbers. What is known of generations is only a list of names and refuses nothing.
    package init(json: JSONValue) throws(ShapeError) {
        guard let elements = json["services"]?.array, elements.count <= Self.maximumServices else {
            throw ShapeError(path: "services", expected: "an array of up to \(Self.maximumServices)")
        }
        var services: [Counts] = []
        for element in elements {
            do throws(ShapeError) {
                services.append(try Counts(json: element))
            } catch {
                throw ShapeError(path: "services.\(error.path)", expected: error.expected)
            }
        }
        self.services = services
        windowStart = json["windowStart"]?.string.flatMap(Timestamp.milliseconds(of:))
        windowEnd = json["windowEnd"]?.string.flatMap(Timestamp.milliseconds(of:))
        knownGeneration = (json["knownGeneration"]?.object ?? [:]).mapValues { $0.integer ?? 0 }
    }

    /// The body of the report without a head; ``JSONValue/with(_:)`` adds that.
    package var json: JSONValue {
        [
            "windowStart": JSONValue(windowStart.map(Timestamp.text(milliseconds:))),
            "windowEnd": JSONValue(windowEnd.map(Timestamp.text(milliseconds:))),
            "services": .array(services.map(\.json)),
            "knownGeneration": .object(JSONObject(knownGeneration.mapValues(JSONValue.integer))),
        ]
    }
}

extension QoSReportShape.Counts {
    /// All that failed, of whatever kind.
    package var failures: Int64 { failed.values.reduce(0, +) }

    fileprivate init(json: JSONValue) throws(ShapeError) {
        var failed: [String: Int64] = [:]
        if let kinds = json["failed"] {
            guard let members = kinds.object else { throw ShapeError(path: "failed", expected: "counts") }
            for kind in members.keys { failed[kind] = Self.clamped(try kinds.requiredInteger(kind)) }
        }
        self.init(
            service: try json.requiredString("service"), ok: Self.clamped(try json.requiredInteger("ok")),
            failed: failed)
    }

    fileprivate var json: JSONValue {
        [
            "service": .string(service), "ok": .integer(ok),
            "failed": .object(JSONObject(failed.mapValues(JSONValue.integer))),
        ]
    }

    private static func clamped(_ count: Int64) -> Int64 {
        min(max(count, 0), QoSReportShape.maximumCount)
    }
}
