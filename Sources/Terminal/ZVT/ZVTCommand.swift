import Base

/// What the till sends of its own accord. Amounts are in the currency's smallest unit, 1 to 999,999,999,999;
/// currencies are ISO 4217 by number.
package enum ZVTCommand: Hashable, Sendable {
    /// At every start and after each new connection.
    case registration(password: ZVTPassword, currency: Int64)
    case authorisation(amount: Int64, currency: Int64)
    /// Of the booking with this receipt number, before the machine's end of day.
    case reversal(password: ZVTPassword, receipt: Int64, amount: Int64, currency: Int64)
    /// A booking of its own, without a reference: twice sent it gives twice back.
    case refund(password: ZVTPassword, amount: Int64, currency: Int64)
    case endOfDay(password: ZVTPassword)
    case statusEnquiry(password: ZVTPassword)
    /// The last booking with its status information, and with its paper where `prints` says so.
    case repeatReceipt(password: ZVTPassword, prints: Bool = false)
    /// A request: the outcome is what the machine says then.
    case abort

    /// Nil where an amount, a receipt number or a currency is out of its range.
    package var packet: ZVTPacket? {
        switch self {
        case .registration(let password, let currency):
            guard let currency = Self.currency(currency) else { return nil }
            let offer: [UInt8] = [0x03, 0x01, 0x06, 0x06, 0x26, 0x04, 0x0A, 0x02, 0x06, 0xD3]
            return ZVTPacket(0x0600, password.bytes + [Self.configuration] + currency + offer)
        case .authorisation(let amount, let currency):
            guard let money = Self.money(amount, currency) else { return nil }
            return ZVTPacket(0x0601, money + [0x19, 0x40])
        case .reversal(let password, let receipt, let amount, let currency):
            guard let money = Self.money(amount, currency), (1...9999).contains(receipt),
                let number = BCD.bytes(receipt, count: 2)
            else { return nil }
            return ZVTPacket(0x0630, password.bytes + [0x87] + number + money)
        case .refund(let password, let amount, let currency):
            guard let money = Self.money(amount, currency) else { return nil }
            return ZVTPacket(0x0631, password.bytes + money)
        case .endOfDay(let password): return ZVTPacket(0x0650, password.bytes)
        case .statusEnquiry(let password): return ZVTPacket(0x0501, password.bytes + [0x03, 0x02])
        case .repeatReceipt(let password, let prints):
            return ZVTPacket(0x0620, password.bytes + [0x03, prints ? 0x01 : 0x03])
        case .abort: return ZVTPacket(0x06B0)
        }
    }

    /// The till prints receipts (02, 04), wants progress (08), and the machine takes no amount and no
    /// administration at its own keys (10, 20) and sends its print lines (80).
    private static let configuration: UInt8 = 0xBE

    private static func money(_ amount: Int64, _ currency: Int64) -> [UInt8]? {
        guard amount > 0, let digits = BCD.bytes(amount, count: 6), let currency = Self.currency(currency)
        else { return nil }
        return [0x04] + digits + [0x49] + currency
    }

    private static func currency(_ number: Int64) -> [UInt8]? {
        (1...999).contains(number) ? BCD.bytes(number, count: 2) : nil
    }
}

/// The six digits that a machine wants before what changes it; `000000` where nobody set others.
package struct ZVTPassword: Hashable, Sendable {
    @Secret private var digits: String

    /// Nil for anything but six digits.
    package init?(_ digits: String) {
        guard digits.utf8.count == 6, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        self.digits = digits
    }

    /// `000000`.
    package static let standard = ZVTPassword(checked: "000000")

    private init(checked digits: String) { self.digits = digits }

    var bytes: [UInt8] {
        BCD.bytes(Int64(digits) ?? 0, count: 3) ?? []
    }
}

/// Currencies by their ISO 4217 numbers, which ZVT has.
package enum ZVTCurrency {
    /// Nil for a currency that no machine of ZVT is known to have.
    package static func number(of code: String) -> Int64? { numbers[code] }

    /// Those of the countries where machines of ZVT are sold, and of the shops that try one.
    private static let numbers: [String: Int64] = [
        "AUD": 36, "BGN": 975, "CHF": 756, "CNY": 156, "CZK": 203, "DKK": 208, "EUR": 978, "GBP": 826,
        "HKD": 344,
        "HUF": 348, "JPY": 392, "NOK": 578, "PLN": 985, "RON": 946, "SEK": 752, "SGD": 702, "TRY": 949,
        "USD": 840,
    ]
}
