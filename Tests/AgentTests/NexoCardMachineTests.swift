import Base
import CurlHTTP
import HubProtocol
import MachineRuntime
import Nexo
import OfflineCore
import Retail
import Synchronization
import TerminalStore
import TestKit
import Testing

@testable import Agent

/// What the adapter makes of the responses of a machine that is played by a function.
@Suite("A card machine that speaks nexo, over a session of the test's")
struct NexoCardMachineTests {
    private final class Session: HTTPSession {
        typealias Content = @Sendable (_ category: String, _ header: JSONValue) -> JSONValue?
        let log = Mutex<[String]>([])
        /// What was sent, each with its header.
        let bodies = Mutex<[JSONValue]>([])
        private let content: Content
        private let failure: TransferFailure
        private let status: Int

        /// - Parameters:
        ///   - failure: where there is no response.
        ///   - status: of responses to anything but a login.
        ///   - content: of the response, by the request's category; nil: there is none.
        init(
            failing failure: TransferFailure = .connectionBroken, status: Int = 200,
            _ content: @escaping Content
        ) { (self.failure, self.status, self.content) = (failure, status, content) }

        func send(
            _ request: HTTPRequest, onStall: (@Sendable (_ startedAt: Instant) -> Void)?,
            onMove: (@Sendable (_ since: Instant) -> Void)?
        ) async -> HTTPExchange {
            let start = Instant(nanoseconds: 0)
            #expect(request.usesFreshConnection, "one that is closed may have taken the request")
            let isConnected = failure == .connectionBroken
            let timings = HTTPTimings(
                startedAt: start, connectedAt: isConnected ? start : nil, finishedAt: start)
            let message = (try? JSONParser.parse(request.body ?? []))?["SaleToPOIRequest"]
            let header = message?["MessageHeader"] ?? .null
            let category = header["MessageCategory"]?.string ?? ""
            log.withLock { $0.append("\(category) \(header["SaleID"]?.string ?? "")") }
            if let message { bodies.withLock { $0.append(message) } }
            guard let content = content(category, header) else {
                return HTTPExchange(result: .failure(failure), timings: timings)
            }
            var head = header.object ?? [:]
            head["MessageType"] = "Response"
            let body: JSONValue = [
                "SaleToPOIResponse": ["MessageHeader": .object(head), "\(category)Response": content]
            ]
            return HTTPExchange(
                result: .success(
                    HTTPResponse(status: category == "Login" ? 200 : status, body: body.canonicalBytes)),
                timings: timings)
        }

        func setCutOff(_ isOn: Bool) {}
        func forgetConnections() {}
        func useSmallSegments(_ areUsed: Bool) {}
        func use(_ binding: PathBinding) {}
        func close() {}
    }

    private static let poi = "S1F2-000611220400123"
    private static let success: JSONValue = ["Response": ["Result": "Success"]]

    /// No response; a `nil` beside a value would be JSON's.
    private static let silence: JSONValue? = nil

    private static func failure(_ condition: String) -> JSONValue {
        ["Response": ["Result": "Failure", "ErrorCondition": .string(condition)]]
    }

    private func machine(
        _ session: Session, saleId: String = "till-7", _ ledger: any DevicePeriodKeeping = ForgottenPeriods()
    ) throws -> NexoCardMachine {
        let place = NexoPlace(
            url: try ServerURL("http://127.0.0.1:8443/nexo"), poiId: Self.poi, cipher: nil, caFile: nil)
        return NexoCardMachine(
            place, saleId: saleId, line: NexoLine(place, session: session), limit: .seconds(150),
            time: HandClock(), ledger: ledger)
    }

    private func request(
        _ purpose: DeviceRequest.Purpose = .charge, origin: DeviceRequest.Origin? = nil
    ) -> DeviceRequest {
        DeviceRequest(
            purpose, key: "K", chargeKey: "K", amount: 5, currency: "EUR", openedAt: 0,
            state: origin == nil ? .intent : .unknown(detail: "cut"), origin: origin, reported: nil)
    }

    private func origin(_ machine: String = poi, till: String = "till-7") -> DeviceRequest.Origin {
        DeviceRequest.Origin(
            kind: .nexo, address: "", machineId: machine, requestId: "q7Hd02kXbA", tillId: till)
    }

    private func perform(
        _ request: DeviceRequest, at machine: NexoCardMachine, original: DeviceProof? = nil
    ) async -> (response: DeviceResponse, origin: DeviceRequest.Origin?) {
        let opened = Mutex<DeviceRequest.Origin?>(nil)
        let response = await machine.perform(
            request, original: original,
            DeviceSteps(
                open: { origin in
                    opened.withLock { $0 = origin }
                    return true
                }, report: { _ in true }, show: { _ in }))
        return (response, opened.withLock(\.self))
    }

    @Test("not found proves that nothing was charged 150 s after the response was lost, and not before")
    func notFound() async throws {
        let machine = try machine(Session { _, _ in Self.failure("NotFound") })
        func find(after seconds: Int64) async -> DeviceFinding {
            await machine.find(request(origin: origin()), original: nil, silence: .seconds(seconds))
        }
        #expect(await find(after: 149) == .open(detail: "the machine does not know the result yet"))
        #expect(await find(after: 150) == .notDone(reason: "the machine does not know the request"))
        let busy = try self.machine(Session { _, _ in Self.failure("InProgress") })
        #expect(
            await busy.find(request(origin: origin()), original: nil, silence: .seconds(900))
                == .open(detail: "the machine does not know the result yet"))
    }

    /// A status that repeats a response.
    private static func repeated(_ content: JSONValue, of service: String = "q7Hd02kXbA") -> JSONValue {
        [
            "Response": ["Result": "Success"],
            "RepeatedMessageResponse": [
                "MessageHeader": ["ServiceID": .string(service), "SaleID": "till-7", "POIID": .string(poi)],
                "RepeatedResponseMessageBody": ["PaymentResponse": content],
            ],
        ]
    }

    @Test("a repeated response decides by its own result, and one to another request is a person's")
    func repeats() async throws {
        func find(_ content: JSONValue) async throws -> DeviceFinding {
            try await machine(Session { _, _ in content }).find(
                request(origin: origin()), original: nil, silence: .seconds(5))
        }
        #expect(
            try await find(Self.repeated(Self.failure("Busy")))
                == .notDone(reason: "the machine did not begin"))
        #expect(
            try await find(Self.repeated(Self.failure("Refusal"))) == .notDone(reason: "declined by the bank")
        )
        for content in [Self.repeated(Self.failure("Refusal"), of: "other"), Self.repeated(Self.success)] {
            guard case .undecidable = try await find(content) else {
                Issue.record("\(content) decides")
                continue
            }
        }
    }

    @Test(
        "a machine that was not reached, or is another one, took nothing",
        arguments: [
            (TransferFailure.notConnected, DeviceTrouble.unreachable), (.connectTimedOut, .unreachable),
            (.certificateRefused(.otherName), .refused), (.tlsFailed(detail: ""), .refused),
        ])
    func notReached(failure: TransferFailure, trouble: DeviceTrouble) async throws {
        let (response, origin) = await perform(
            request(), at: try machine(Session(failing: failure) { _, _ in nil }))
        #expect(response == .notSent(trouble) && origin == nil)
        // The login is there still, and the line fails with the payment.
        let later = Session(failing: failure) { category, _ in
            category == "Login" ? Self.success : Self.silence
        }
        #expect(await perform(request(), at: try machine(later)).response == .notSent(trouble))
        let closed = await (try machine(later)).closeDay(currency: "EUR")
        #expect(closed == .failure(trouble))
    }

    @Test("a response with another status proves nothing, and what gives money back has no abort")
    func unproven() async throws {
        let strange = Session(status: 500) { category, _ in
            category == "Login" ? Self.success : Self.failure("Refusal")
        }
        guard case .lost = await perform(request(), at: try machine(strange)).response else {
            return #expect(Bool(false), "a status of 500 decides")
        }
        let broken = Session { category, _ in category == "Login" ? Self.success : Self.silence }
        let charge = DeviceProof(reference: "Kx2b@2026-11-25T14:05:32.114Z")
        _ = await perform(request(.refund), at: try machine(broken), original: charge)
        #expect(broken.log.withLock(\.self) == ["Login till-7", "Reversal till-7"])
        #expect(await (try machine(broken)).closeDay(currency: "EUR") == .failure(.unreachable))
    }

    @Test("a machine that is busy has not begun, and each look is a login of its own")
    func busy() async throws {
        let busy = Session { category, _ in category == "Login" ? Self.success : Self.failure("Busy") }
        let machine = try machine(busy)
        #expect(await perform(request(), at: machine).response == .notSent(.busy))
        #expect(await machine.closeDay(currency: "EUR") == .failure(.busy))
        for _ in 0..<2 { #expect(await machine.look(currency: "EUR").trouble == nil) }
        #expect(busy.log.withLock { $0.filter { $0.hasPrefix("Login") }.count } == 3)
        let atLogin = Session { _, _ in Self.failure("Busy") }
        #expect(await perform(request(), at: try self.machine(atLogin)).response == .notSent(.busy))
        #expect(await (try self.machine(atLogin)).look(currency: "EUR").trouble == .busy)
        // One that knows another till's key, or none, refuses by ending the line.
        let sealed = Session { _, _ in nil }
        #expect(await (try self.machine(sealed)).look(currency: "EUR").trouble == .refused)
    }

    @Test("another machine is not queried, and the same one by the till's name of then")
    func names() async throws {
        let session = Session { _, _ in Self.failure("InProgress") }
        let machine = try machine(session, saleId: "till-8")
        let other = await machine.find(
            request(origin: origin("S1F2-000611220400124")), original: nil, silence: .seconds(200))
        #expect(other == .undecidable(detail: "the machine is another one than the request went to"))
        #expect(session.log.withLock(\.self) == [])
        _ = await machine.find(request(origin: origin()), original: nil, silence: .seconds(200))
        #expect(session.log.withLock(\.self) == ["TransactionStatus till-7"])
    }

    @Test("a machine that was restarted since the last login gets one, and then the request once more")
    func loggedOut() async throws {
        let isForgotten = Atomic(false)
        let session = Session { category, _ in
            if category == "Login" { isForgotten.store(false, ordering: .releasing) }
            return isForgotten.load(ordering: .acquiring)
                ? Self.failure("LoggedOut") : category == "Login" ? Self.success : Self.failure("Refusal")
        }
        let machine = try machine(session)
        _ = await perform(request(), at: machine)
        isForgotten.store(true, ordering: .releasing)
        let declined = await perform(request(), at: machine).response
        #expect(declined == .declined(reason: "declined by the bank"))
        isForgotten.store(true, ordering: .releasing)
        #expect(await machine.closeDay(currency: "EUR") == .failure(.refused))
        #expect(
            session.log.withLock { $0.map { String($0.prefix { $0 != " " }) } } == [
                "Login", "Payment", "Payment", "Login", "Payment", "Reconciliation", "Login",
                "Reconciliation",
            ])
    }

    @Test("an end of day whose response was lost is read once more by its period, and closes no second one")
    func lostEndOfDay() async throws {
        let count = Atomic(0)
        let session = Session { category, _ in
            switch category {
            case "Login": return Self.success
            case "Reconciliation":
                guard count.add(1, ordering: .relaxed).oldValue > 1 else { return Self.silence }
                return [
                    "Response": ["Result": "Success"], "POIReconciliationID": 1003,
                    "TransactionTotals": [
                        ["PaymentTotals": [["TransactionType": "Debit", "TransactionAmount": 9]]]
                    ],
                ]
            case _: return ["Response": ["Result": "Failure"], "POIData": ["POIReconciliationID": "1003"]]
            }
        }
        let home = try EnrolledHome()
        let ledger = SQLiteDeviceRequests(try await home.database())
        _ = await perform(request(), at: try machine(session, ledger))
        // Each by an agent that was started again.
        for _ in 0..<2 {
            #expect(
                try await machine(session, ledger).closeDay(currency: "EUR") == .failure(.unreachable))
        }
        let closed = try await machine(session, ledger).closeDay(currency: "EUR")
        #expect(closed == .success(ClosedDeviceDay(sum: 900, machineId: Self.poi)))
        #expect(
            session.bodies.withLock { $0.compactMap { $0["ReconciliationRequest"] } } == [
                ["ReconciliationType": "SaleReconciliation"],
                ["POIReconciliationID": "1003", "ReconciliationType": "PreviousReconciliation"],
                ["POIReconciliationID": "1003", "ReconciliationType": "PreviousReconciliation"],
            ])
    }

    @Test("a look shows the machine's newest payment, where it has one, and why a machine refuses the till")
    func looks() async throws {
        let payment: JSONValue = [
            "Response": ["Result": "Success"],
            "POIData": ["POITransactionID": ["TransactionID": "x", "TimeStamp": "2026-11-25T14:05:32.114Z"]],
            "PaymentResult": ["AmountsResp": ["Currency": "EUR", "AuthorizedAmount": .double(23.47)]],
        ]
        let shown = try machine(
            Session { category, _ in
                category == "Login" ? Self.success : Self.repeated(payment, of: "somebody's")
            })
        #expect(
            await shown.look(currency: "EUR").last
                == DeviceBooking(
                    receipt: nil, amount: 2347, at: "2026-11-25T14:05:32.114Z", isReversal: false,
                    isApproved: true))
        let none = try machine(
            Session { category, _ in category == "Login" ? Self.success : Self.failure("NotFound") })
        #expect(await none.look(currency: "EUR") == DeviceLook(machineId: Self.poi))
        for (failure, obstacle) in [
            (TransferFailure.certificateRefused(.otherName), DeviceObstacle.otherName),
            (.certificateRefused(.foreign), .unknownRoot), (.connectionBroken, .unreadable),
        ] {
            let look = await (try machine(Session(failing: failure) { _, _ in nil })).look(currency: "EUR")
            #expect(look.trouble == .refused && look.obstacle == obstacle, "\(failure)")
        }
    }

    @Test("a payment whose response is lost is aborted, and its id is on disk")
    func lost() async throws {
        let session = Session { category, _ in category == "Login" ? Self.success : Self.silence }
        let (response, origin) = await perform(request(), at: try machine(session))
        guard case .lost = response else { return #expect(Bool(false), "\(response)") }
        #expect(origin?.machineId == Self.poi && origin?.tillId == "till-7")
        #expect(origin?.requestId?.utf8.count == 10)
        #expect(session.log.withLock(\.self) == ["Login till-7", "Payment till-7", "Abort till-7"])
    }

    @Test("a machine that cannot now declines a payment, and gets what goes back again later")
    func unavailable() async throws {
        let session = Session { category, _ in
            category == "Login" ? Self.success : Self.failure("UnreachableHost")
        }
        let machine = try machine(session)
        guard case .declined = await perform(request(), at: machine).response else {
            Issue.record("not declined")
            return
        }
        let charge = DeviceProof(reference: "Kx2b@2026-11-25T14:05:32.114Z")
        #expect(await perform(request(.reversal), at: machine, original: charge).response == .notSent(.busy))
        // It may have been switched off meanwhile.
        #expect(session.log.withLock { $0.filter { $0.hasPrefix("Login") }.count } == 2)
    }

    @Test("a reversal of a charge that has no number of the machine is declined, and nothing is sent")
    func unnumbered() async throws {
        let session = Session { _, _ in Self.success }
        let response = await perform(
            request(.reversal), at: try machine(session), original: DeviceProof(reference: "paper 1")
        ).response
        #expect(response == .declined(reason: "the machine's number of the payment is not known"))
        #expect(session.log.withLock(\.self) == ["Login till-7"])
    }

    @Test(
        "a machine without a login is used, and one that refuses it takes nothing",
        arguments: [("NotAllowed", true), ("UnavailableService", true), ("LoggedOut", false)])
    func logins(condition: String, isUsed: Bool) async throws {
        let session = Session { category, _ in
            Self.failure(category == "Login" ? condition : "Refusal")
        }
        let (response, origin) = await perform(request(), at: try machine(session))
        #expect((origin != nil) == isUsed)
        if !isUsed { #expect(response == .notSent(.refused)) }
    }
}

/// A disk that keeps nothing: of machines that are not started again.
private struct ForgottenPeriods: DevicePeriodKeeping {
    func periods(at address: String) async throws(StorageError) -> DevicePeriods { DevicePeriods() }
    func keep(_ periods: DevicePeriods, at address: String) async throws(StorageError) {}
}
