import Base

internal import AgentAPI
internal import HubProtocol
internal import LinuxRuntime
internal import MachineRuntime
internal import OfflineCore
internal import Retail

/// The agent's requests as the values of the business layer.
extension SaleRequest {
    /// Reads a request line of `pos sell --stdin`. A misspelt field is refused: it could be a price.
    init(json: JSONValue) throws(TerminalError) {
        do throws(RequestRefusal) {
            let call = try SellCall(body: json)
            try self.init(call)
        } catch {
            throw TerminalError(error)
        }
    }

    /// - Throws: a refusal of a key that is no ULID.
    init(_ call: SellCall) throws(RequestRefusal) {
        let claim = PersonClaim(call.person)
        self.init(
            key: try call.key.map { text throws(RequestRefusal) in
                guard let key = ULID(text) else { throw SellCall.malformedKey(text) }
                return key
            },
            lines: call.lines,
            payments: (call.payments ?? []).map {
                Payment(method: $0.method, amountMinor: $0.amountMinor, reference: $0.reference)
            },
            memberId: call.memberId, coupons: call.coupons, cashierId: claim.cashierId, pin: claim.pin,
            approver: claim.approver, quotedTotalMinor: call.quotedTotalMinor,
            isClockConfirmed: call.isClockConfirmed)
        points = call.points
        isVoucherConfirmed = call.isVoucherConfirmed
    }
}

extension RefundRequest.Origin {
    init(_ origin: RefundOrderCall.Origin) {
        switch origin {
        case .order(let id): self = .order(id)
        case .receipt(let code): self = .receipt(code)
        case .nothing: self = .nothing
        }
    }
}

extension RefundRequest {
    /// Its person and key are those of the sale that it belongs to.
    init(_ returns: SellCall.Returns) {
        self.init(
            of: Origin(returns.origin),
            items: returns.lines.map(RefundEntry.Item.init),
            by: PersonClaim(), reason: returns.reason)
    }
}

extension SellCall.Returns {
    init(_ request: RefundRequest) {
        let origin: RefundOrderCall.Origin =
            switch request.origin {
            case .order(let id): .order(id)
            case .receipt(let code): .receipt(code)
            case .nothing: .nothing
            }
        self.init(
            of: origin,
            lines: request.items.map {
                RefundOrderCall.Line(
                    article: $0.article, quantityMilli: $0.quantityMilli, unitPriceMinor: $0.unitPriceMinor)
            }, reason: request.reason)
    }
}

extension RefundEntry.Item {
    fileprivate init(_ line: RefundOrderCall.Line) {
        self.init(
            article: line.article, quantityMilli: line.quantityMilli, unitPriceMinor: line.unitPriceMinor)
    }
}

extension RefundOrderCall {
    var items: [RefundEntry.Item] {
        lines.map(RefundEntry.Item.init)
    }

    /// The key as a ULID; nil: the agent makes one.
    func checkedKey() throws(RequestRefusal) -> ULID? {
        guard let key else { return nil }
        guard let checked = ULID(key) else { throw Self.malformedKey(key) }
        return checked
    }
}

extension OrderSearch {
    /// - Throws: `malformed` for a day that is none.
    init(_ call: OrderSearchCall) throws(RequestRefusal) {
        self.init()
        (number, amount, member, article) = (call.number, call.amount, call.member, call.article)
        from = try Self.day(call.from, "from")
        to = try Self.day(call.to, "to")
    }

    private static func day(_ text: String?, _ name: String) throws(RequestRefusal) -> BusinessDay? {
        guard let text else { return nil }
        guard let day = BusinessDay(text) else {
            throw RequestRefusal.malformed(name, "a day as YYYY-MM-DD, not \(text)")
        }
        return day
    }
}

extension PersonClaim {
    init(_ person: AgentPerson) {
        self.init(
            cashierId: person.cashierId, pin: person.pin,
            approver: person.approver.map { Approver(id: $0.id, pin: $0.pin) })
    }
}

extension TerminalError {
    /// The refusal of a request that has not the form of its call.
    init(_ refusal: RequestRefusal) {
        switch refusal.kind {
        case .malformed: self.init(.usage, code: "malformed_request") { $0.malformedRequest(refusal.message) }
        case .unknownField: self.init(.usage, code: "unknown_field") { $0.unknownField(refusal.message) }
        case .cardNumber: self.init(.usage, code: "card_number_refused") { $0.cardNumber(refusal.message) }
        }
    }

    /// For commands that request nothing of an agent, as ``RequestCardNumbers`` for all others.
    static func refuseCardNumbers(in texts: [String?]) throws(TerminalError) {
        guard texts.contains(where: { $0.map(CardNumber.isLike) ?? false }) else { return }
        throw TerminalError(.usage, code: "card_number_refused") { $0.cardNumber(nil) }
    }

    /// Reads a part of a request.
    static func reading<Value>(
        _ read: () throws(RequestRefusal) -> Value
    ) throws(TerminalError) -> Value {
        do throws(RequestRefusal) {
            return try read()
        } catch {
            throw TerminalError(error)
        }
    }
}

/// Keys for sales that were requested without one.
package enum SaleKey {
    /// A fresh ULID of now.
    package static func mint() -> String {
        var generator = SystemRandomNumberGenerator()
        let milliseconds = UInt64(max(0, LinuxSystemTime().wallMilliseconds()))
        return ULID(milliseconds: milliseconds, using: &generator).description
    }
}
