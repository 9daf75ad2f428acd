import Base
@testable import LinuxNetwork
@testable import TerminalStore
import Nexo
import ZVT

extension Parser {
    /// Bytes of the kernel and of foreign files.
    static let packets = [
        Parser("netlink", seeds: [netlink, failure]) { bytes in
            let found = bytes.withUnsafeBytes { NetlinkParser.messages(of: $0).messages.count }
            return found <= bytes.count / 16 ? nil : "more messages than headers"
        },
        Parser("stock-moves", seeds: ["[[0,\"S1\",-2000],[3,\"S\\\"2\",1]]"]) { bytes in
            guard let moves = try? StockMoves(column: String(decoding: bytes, as: UTF8.self)) else {
                return nil
            }
            return (try? StockMoves(column: moves.column)) == moves ? nil : "it is not read as it was written"
        },
        Parser("echo", seeds: [[0, 0, 0, 0, 0, 0, 0, 9] + Array("payload".utf8)]) { bytes in
            let packet = EchoPacket(family: .v4, sequence: 9, payload: Array("payload".utf8))
            let isResponse = packet.hasResponse(by: bytes[...], hasIPHeader: false)
            _ = packet.hasResponse(by: bytes[...], hasIPHeader: true)
            return !isResponse || bytes.suffix(7).elementsEqual("payload".utf8) ? nil : "a foreign answer"
        },
        Parser("zvt", seeds: [zvtStatus, zvtReceipt, [0x06, 0x0F, 0x01, 0x9C, 0x84, 0x9C, 0x00]]) { bytes in
            var (joined, split) = (ZVTFraming(), ZVTFraming())
            let whole = try? joined.packets(after: bytes)
            let parts = try? bytes.flatMap { try split.packets(after: [$0]) }
            guard whole == parts else { return "packets depend on where the line cut them" }
            let sent = (whole ?? []).compactMap(\.bytes).joined().count
            let shown = String(reflecting: (whole ?? []).map { ZVTMessage($0) })
            guard !shown.contains("4111111111111111") else { return "a card number is shown" }
            if let fault = dialogueFault(whole ?? []) { return fault }
            return sent <= bytes.count ? nil : "packets are longer than what arrived"
        },
        Parser("nexo", seeds: [nexoPayment]) { bytes in
            let header = NexoHeader(.payment, serviceId: "s", saleId: "t", poiId: "p")
            guard let reply = NexoReply(bytes, to: header, sealedBy: nil) else { return nil }
            let order = NexoOrder(key: "k", amount: 2347, currency: "EUR", moment: "")
            let outcome = reply.outcome(of: order, isReversal: false)
            guard !String(reflecting: outcome).contains("4111111111111111") else {
                return "a card number is shown"
            }
            guard case .done(let payment) = outcome else { return nil }
            let reference = payment.transaction.reference
            return NexoTransaction(reference: reference) == payment.transaction
                ? nil : "a refund would be of another payment"
        },
        Parser("nexo-status", seeds: [nexoStatus]) { bytes in
            let header = NexoHeader(.status, serviceId: "s", saleId: "t", poiId: "p")
            guard let reply = NexoReply(bytes, to: header, sealedBy: nil) else { return nil }
            _ = reply.total(currency: "EUR")
            let order = NexoOrder(key: "k", amount: 2347, currency: "EUR", moment: "")
            guard let repeated = reply.repeated(.payment, serviceId: "q", saleId: "t", poiId: "p"),
                case .done(let payment) = repeated.outcome(of: order, isReversal: false)
            else { return nil }
            return payment.transaction.id.isEmpty ? "a payment without a transaction" : nil
        },
        Parser("database-header", seeds: [Array("SQLite format 3\0".utf8) + [UInt8](repeating: 1, count: 84)])
        {
            _ = DatabaseFileHeader($0)
            return nil
        },
    ]

    /// What a payment's dialogue does wrong with what a machine sends; nil: nothing.
    private static func dialogueFault(_ packets: [ZVTPacket]) -> String? {
        let start = Instant(nanoseconds: 0)
        let expected = ZVTDialogue.Expected(amount: 2347, currency: 978, terminal: nil)
        var dialogue = ZVTDialogue(expecting: expected, at: start)
        var ends = 0
        for packet in packets {
            var effects = dialogue.handle(.received(ZVTMessage(packet)), at: start)[...]
            while let effect = effects.popFirst() {
                if case .keep = effect { effects += dialogue.handle(.kept(true), at: start) }
                guard case .end(let end) = effect else { continue }
                ends += 1
                if case .completed(let outcome) = end, let booked = outcome.status, booked.result == 0,
                    !expected.isMet(by: booked)
                {
                    return "a booking of another amount is a payment"
                }
            }
        }
        return ends <= 1 ? nil : "a dialogue ended twice"
    }

    /// A status of nexo that repeats a payment.
    private static let nexoStatus: [UInt8] = Array(
        (#"{"SaleToPOIResponse":{"MessageHeader":{"MessageType":"Response","MessageCategory":"TransactionStatus","#
            + #""ServiceID":"s","SaleID":"t","POIID":"p"},"TransactionStatusResponse":{"Response":{"Result":"Success"},"#
            + #""RepeatedMessageResponse":{"MessageHeader":{"ServiceID":"q","SaleID":"t","POIID":"p"},"#
            + #""RepeatedResponseMessageBody":{"PaymentResponse":{"Response":{"Result":"Success"},"#
            + #""POIData":{"POITransactionID":{"TransactionID":"x","TimeStamp":"y"}},"#
            + #""SaleData":{"SaleTransactionID":{"TransactionID":"k"}},"PaymentResult":{"AmountsResp":{"#
            + #""Currency":"EUR","AuthorizedAmount":23.47}}}}}}}}"#).utf8)

    /// A response of nexo whose paper has a card's number.
    private static let nexoPayment: [UInt8] = Array(
        (#"{"SaleToPOIResponse":{"MessageHeader":{"MessageType":"Response","MessageCategory":"Payment","#
            + #""ServiceID":"s","SaleID":"t","POIID":"p"},"PaymentResponse":{"Response":{"Result":"Success"},"#
            + #""POIData":{"POITransactionID":{"TransactionID":"x","TimeStamp":"y"}},"#
            + #""SaleData":{"SaleTransactionID":{"TransactionID":"k"}},"PaymentResult":{"AmountsResp":{"#
            + #""Currency":"EUR","AuthorizedAmount":23.47},"PaymentInstrumentData":{"CardData":{"#
            + #""MaskedPan":"411111 **** 1111"}}},"PaymentReceipt":[{"DocumentQualifier":"CustomerReceipt","#
            + #""OutputContent":{"OutputText":[{"Text":"name=CARD&value=4111111111111111"}]}}]}}}"#).utf8)

    /// A status information of ZVT with a card's number.
    private static let zvtStatus: [UInt8] =
        [0x04, 0x0F, 0x1F, 0x27, 0x00, 0x04, 0, 0, 0, 0, 0x23, 0x47, 0x49, 0x09, 0x78]
        + [0x87, 0x01, 0x42, 0x22, 0xF0, 0xF8, 0x41, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11]
        + [0x06, 0x03, 0x1F, 0x10, 0x00]

    /// A print block of ZVT whose line has a card's number.
    private static let zvtReceipt: [UInt8] =
        [0x06, 0xD3, 0x16, 0x06, 0x14, 0x25, 0x12, 0x07, 0x10] + Array("4111111111111111".utf8)

    /// NLMSG_ERROR with EBUSY.
    private static let failure: [UInt8] =
        [20, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xF0, 0xFF, 0xFF, 0xFF]

    /// RTM_NEWLINK of interface 2 with an attribute, then NLMSG_DONE.
    private static let netlink: [UInt8] =
        [44, 0, 0, 0, 16, 0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0]
        + [0, 0, 1, 0, 2, 0, 0, 0, 67, 16, 1, 0, 0, 0, 0, 0]
        + [9, 0, 3, 0] + Array("eth0\0\0\0\0".utf8)
        + [16, 0, 0, 0, 3, 0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0]
}
