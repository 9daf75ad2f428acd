import Foundation
import HubProtocol
import TestKit

extension ShopUnderTest {
    /// Imports `rows` below the header of `kind` at the hub.
    func importRows(_ kind: ImportedKind, _ rows: String...) throws {
        let file = folder.path("\(kind.rawValue).csv")
        try ([kind.header] + rows).joined(separator: "\n").appending("\n")
            .write(toFile: file, atomically: true, encoding: .utf8)
        try posHub("import", kind.rawValue, file)
    }

    /// What `pos doctor` reports of `check`.
    func doctorDetail(on check: String) throws -> String? {
        try document("doctor")["checks"]?.array?.first { $0["name"]?.string == check }?["detail"]?.string
    }

    /// The route of `service` by the agent's status.
    func route(of service: String) throws -> String? {
        try status()["capabilities"]?[service]?["route"]?.string
    }
}

/// What the hub imports beside articles.
enum ImportedKind: String {
    case cashiers
    case members
    case promotions
    case coupons
    case products

    var header: String {
        switch self {
        case .cashiers: "id,name,pin,role"
        case .members: "id,phone,name,points,tier"
        case .promotions:
            "id,name,kind,sku,department,percent_basis_points,amount_minor,min_quantity_milli,starts_at,ends_at,offline"
        case .coupons: "code,promotion_id,member_id,max_uses,expires_at,offline"
        case .products:
            "sku,barcode,name,department,price_minor,currency,tax_basis_points,unit,stock_milli,open_price,further_barcodes"
        }
    }
}
