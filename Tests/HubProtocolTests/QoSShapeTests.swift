import Base
import HubProtocol
import Testing

@Suite("QoS on the wire")
struct QoSShapeTests {
    private let report: JSONValue = [
        "windowStart": "2026-11-21T00:00:00.000Z", "windowEnd": "2026-11-21T00:00:01.000Z",
        "services": [
            [
                "service": "order", "ok": 18,
                "failed": ["timeout": 3, "http5xx": 2, "connect": 0, "tls": 0, "dns": 0],
            ]
        ],
        "knownGeneration": ["order": 7],
    ]

    private let response: JSONValue = [
        "decisions": [
            [
                "service": "order", "state": "recovering", "scope": "store", "generation": 8,
                "since": "2026-11-21T00:00:00.000Z", "reason": .null, "source": "probe",
                "expiresAt": "2026-11-21T00:05:00.000Z", "pollAfterMs": 30_000,
                "resume": ["afterMs": 1_500, "ratePerMinute": 60],
            ]
        ],
        "issuer": "Q1", "issuedAt": "2026-11-21T00:00:00.000Z",
    ]

    @Test("A report and a response of the contract are read and written again as they were")
    func roundTrip() throws {
        let read = try QoSReportShape(json: report)
        #expect(read.json == report)
        #expect(read.services.first?.failures == 5)
        #expect(try #require(QoSResponseShape(json: response)).json == response)
    }

    @Test("Counts are brought into what a window can hold")
    func clamped() throws {
        let json: JSONValue = [
            "services": [
                ["service": "order", "ok": -4, "failed": ["timeout": 9_007_199_254_740_991, "new": 1]]
            ]
        ]
        let counts = try #require(try QoSReportShape(json: json).services.first)
        #expect(counts.ok == 0)
        #expect(counts.failed == ["timeout": QoSReportShape.maximumCount, "new": 1])
        #expect(counts.failures == QoSReportShape.maximumCount + 1)
    }

    @Test("A report holds up to 64 services")
    func services() throws {
        func report(_ count: Int) -> JSONValue {
            ["services": .array((0..<count).map { ["service": .string("s\($0)"), "ok": 1] })]
        }
        #expect(try QoSReportShape(json: report(64)).services.count == 64)
        #expect(throws: ShapeError(path: "services", expected: "an array of up to 64")) {
            try QoSReportShape(json: report(65))
        }
    }

    @Test(
        "What is no report is refused by the place that is wrong",
        arguments: [
            ([:], "services"), (["services": 1], "services"), (["services": [[:]]], "services.service"),
            (["services": [["service": "order"]]], "services.ok"),
            (["services": [["service": "order", "ok": 1, "failed": 2]]], "services.failed"),
            (["services": [["service": "order", "ok": 1, "failed": ["dns": "x"]]]], "services.dns"),
        ] as [(JSONValue, String)])
    func refused(_ json: JSONValue, _ path: String) {
        do {
            _ = try QoSReportShape(json: json)
            Issue.record("\(json.canonicalText) was read")
        } catch {
            #expect(error.path == path)
        }
    }

    @Test("What only accompanies a report refuses nothing")
    func accompanying() throws {
        let read = try QoSReportShape(
            json: ["services": [], "windowStart": 5, "knownGeneration": ["order": "x", "payment": 2]])
        #expect(read.windowStart == nil)
        #expect(read.knownGeneration == ["order": 0, "payment": 2])
    }

    @Test(
        "A response without its parts is none, a decision without its own is left out, an issuer may be missing"
    )
    func responses() throws {
        #expect(QoSResponseShape(json: ["decisions": []]) == nil)
        #expect(QoSResponseShape(json: ["issuedAt": "2026-11-21T00:00:00.000Z"]) == nil)
        let read = try #require(
            QoSResponseShape(
                json: ["decisions": [["service": "order"], 7], "issuedAt": "2026-11-21T00:00:00.000Z"]))
        #expect(read.decisions == [])
        #expect(read.issuer == nil)
    }

    private func decision(
        expiresAt: Int64? = nil, poll: Int64? = nil, resume: JSONValue = .null
    ) throws -> QoSDecisionShape {
        let json: JSONValue = [
            "service": "order", "state": "healthy", "scope": "global", "generation": 1, "source": "reports",
            "expiresAt": JSONValue(expiresAt.map(Timestamp.text(milliseconds:))),
            "pollAfterMs": JSONValue(poll), "resume": resume,
        ]
        return try #require(QoSDecisionShape(json: json))
    }

    @Test("Validity is what is left behind the issue, from nothing to a day, and five minutes without an end")
    func validity() throws {
        let issuedAt: Int64 = 1_700_000_000_000
        #expect(try decision().validity(issuedAt: issuedAt) == 300_000)
        #expect(try decision(expiresAt: issuedAt + 60_000).validity(issuedAt: issuedAt) == 60_000)
        #expect(try decision(expiresAt: issuedAt - 1).validity(issuedAt: issuedAt) == 0)
        #expect(try decision(expiresAt: issuedAt + 86_400_001).validity(issuedAt: issuedAt) == 86_400_000)
        #expect(try decision(expiresAt: issuedAt).validity(issuedAt: .min) == 0)
    }

    @Test("The poll is from one second to five minutes, 30 s where the hub names none")
    func poll() throws {
        #expect(try decision().poll == 30_000)
        #expect(try decision(poll: 999).poll == 1_000)
        #expect(try decision(poll: 300_001).poll == 300_000)
    }

    @Test("A till is held back for an hour at most, and at no negative rate")
    func resume() throws {
        let read = try decision(resume: ["afterMs": 3_600_001, "ratePerMinute": -1]).resume
        #expect(read == QoSDecisionShape.Resume(afterMilliseconds: 3_600_000, ratePerMinute: 0))
        #expect(try decision(resume: [:]).resume?.afterMilliseconds == 0)
        #expect(try decision(resume: 7).resume == nil)
    }
}
