import Base

internal import HubProtocol
internal import OfflineCore
internal import Retail

/// The tables other than the journal whose rows are copied, each recognised by the shape of its rows: with a
/// destroyed schema nothing else identifies them.
enum SalvagedTable: String, CaseIterable {
    case terminal
    case facts
    case orders
    case attachments
    case products
    case feed
    case feedEntities = "feed_entities"
    case noteChanges = "note_changes"
    case offlinePeriods = "offline_periods"
    case failedPINs = "failed_pins"
    case carts
    case storedCards = "stored_cards"
    case cardReturns = "card_returns"
    case deviceRequests = "device_requests"
    case grants
    case cartClaims = "cart_claims"

    /// In the order of a row's columns. The first `key` of them are the primary key.
    var columns: [String] {
        switch self {
        case .terminal:
            [
                "id", "terminal_id", "store_id", "terminal_number", "epoch", "sequence", "hash", "last_id",
                "business_day", "order_counter", "acknowledged_through", "pending", "rejected", "conflicted",
                "open_shift",
            ]
        case .facts: ["name", "value"]
        case .orders:
            [
                "sequence", "order_id", "sale_key", "order_number", "mode", "voided_at", "void_sequence",
                "revision",
            ]
        case .attachments:
            [
                "id", "sha256", "size", "content_type", "name", "urgent", "made_at", "whole_at", "problem",
            ]
        case .products:
            [
                "generation", "sku", "barcode", "name", "department", "price", "currency",
                "tax_basis_points", "unit", "stock_milli", "open_price",
                "further_barcodes",
            ]
        case .feed: ["id", "generation", "cursor", "next_generation", "next_cursor"]
        case .feedEntities:
            [
                "generation", "entity", "entity_id", "version", "value", "deleted_at", "hlc", "origin",
                "lookup",
            ]
        case .noteChanges: ["note_id", "mutation_id", "value", "deleted_at"]
        case .offlinePeriods:
            [
                "id", "started_at", "ended_at", "causes", "evidence", "first_sequence", "last_sequence",
            ]
        case .failedPINs: ["cashier_id", "count", "wall", "boot", "boot_id"]
        case .storedCards:
            ["key", "business_day", "wall", "boot", "boot_id", "shift_id", "settled_at"]
        case .cardReturns:
            [
                "refund_id", "key", "order_id", "order_number", "method", "amount", "currency", "made_at",
                "state", "reason",
            ]
        case .deviceRequests:
            [
                "key", "purpose", "charge_key", "amount", "currency", "opened_at", "state", "kind", "address",
                "machine_id", "request_id", "last_receipt", "last_moment", "detail", "proof",
                "receipt", "turn", "sale_key", "order_id", "method", "stage",
                "till_id",
            ]
        case .grants:
            ["taker", "claim_id", "kind", "right_id", "body", "content", "state", "is_noted"]
        case .cartClaims: ["claim_id", "owner", "body", "claimed_at"]
        case .carts:
            [
                "cart_id", "name", "parked_at", "resumed_at", "currency", "total", "content", "state",
                "front_end", "of_agent", "revision", "in_hand", "cashier_id", "process", "journey", "epoch",
            ]
        }
    }

    /// How many columns the primary key has.
    var key: Int {
        switch self {
        case .products, .cardReturns, .grants: 2
        case .feedEntities: 3
        case .terminal, .facts, .orders, .attachments, .feed, .noteChanges, .offlinePeriods,
            .failedPINs, .carts, .storedCards, .deviceRequests, .cartClaims:
            1
        }
    }

    /// What each column must contain: `n` a number, `N` a number or NULL, `t` a text, `T` a text or NULL, `-`
    /// the NULL in the column that is the row's id. Columns at the end that a later schema added may be
    /// missing.
    private var shape: String {
        switch self {
        case .terminal: "-TTNnnttnnnnnnT"
        case .facts: "tt"
        case .orders: "-ttttNNN"
        case .attachments: "ttnttnnNT"
        case .products: "ntttt" + "ntntNNT"
        case .feed: "-nTNT"
        case .feedEntities: "nttnTTTTT"
        case .noteChanges: "ttTT"
        case .offlinePeriods: "-nNttnN"
        case .failedPINs: "tnnnt"
        case .carts: "tTnNtnt" + "tTnnnTTTn"
        case .storedCards: "tnnntTN"
        case .cardReturns: "tttttntntT"
        case .grants: "tttttttn"
        case .cartClaims: "tttn"
        case .deviceRequests: "tttntnttt" + "TTNTTTNn" + "TTTTT"
        }
    }

    /// The table that `record` is a row of; nil for an index, the journal and everything else.
    static func owner(of record: SalvagedRecord) -> SalvagedTable? {
        allCases.first { $0.owns(record) }
    }

    private func owns(_ record: SalvagedRecord) -> Bool {
        let shape = Array(shape)
        let values = record.values
        guard (shape.first == "-") == (record.rowId != nil), values.count <= shape.count,
            values.count >= least
        else { return false }
        for (kind, value) in zip(shape, values) {
            switch (kind, value) {
            case ("-", .null), ("n", .integer), ("N", .integer), ("N", .null), ("t", .text), ("T", .text),
                ("T", .null):
                continue
            default: return false
            }
        }
        return isPlausible(record)
    }

    /// The length of rows from before the last columns were added.
    private var least: Int {
        switch self {
        case .orders, .carts: 7
        case .feedEntities: 6
        case .products: 10
        case .terminal: 14
        case .facts, .attachments, .feed, .noteChanges, .offlinePeriods, .failedPINs,
            .storedCards, .cardReturns, .deviceRequests, .grants, .cartClaims:
            columns.count
        }
    }

    /// What distinguishes tables of like shapes.
    private func isPlausible(_ record: SalvagedRecord) -> Bool {
        let values = record.values
        switch self {
        case .terminal:
            return record.rowId == 1 && ULID(values[7].text ?? "") != nil
                && (values[5].integer ?? -1) >= 0 && (values[4].integer ?? 0) >= 1
        // The attachments of an entry and their index have two ids each.
        case .facts: return ULID(values[0].text ?? "") == nil
        case .orders: return OrderNumber(values[3].text ?? "") != nil
        case .attachments: return ULID(values[0].text ?? "") != nil && values[1].text?.utf8.count == 64
        case .feed: return record.rowId == 1
        case .noteChanges: return ULID(values[1].text ?? "") != nil
        // One that cannot be read would hide all others from the list of carts.
        case .carts:
            return ULID(values[0].text ?? "") != nil && CartContent(text: values[6].text ?? "") != nil
        case .storedCards, .cardReturns: return ULID(values[0].text ?? "") != nil
        // One that cannot be read would hide all others.
        case .deviceRequests: return DeviceRequest.Purpose(rawValue: values[1].text ?? "") != nil
        case .grants: return RightKind(rawValue: values[2].text ?? "") != nil
        case .cartClaims:
            let json = try? JSONParser.parse((values[2].text ?? "").utf8)
            return json.flatMap { try? RightClaim(json: $0) } != nil
        case .products, .feedEntities, .offlinePeriods, .failedPINs: return true
        }
    }
}
