import Base
import CurlHTTP
import Foundation
import HubCore
import HubProtocol
import HubServer

/// What the hub's other views of the same journals have to say at rest.
extension Checks {
    /// Each balance is what the book has, and what is lent of it is no more than that.
    func comparePoints() async throws {
        guard world.schedule.members != nil else { return }
        let lent = try await world.hub.perform(.backOffice(.listLeases(all: false)))
        for lease in lent["leases"]?.array ?? [] {
            if lease["left"]?.integer ?? 0 < 0 {
                world.fail("nothing is spent twice", "more than was lent: \(lease.canonicalText)")
            }
            // Every entry of before the return has arrived.
            if lease["state"] == "returned" {
                world.fail("what is returned is free again", lease.canonicalText)
            }
        }
        guard let push = world.tills.lazy.compactMap(\.link.lastPush).first else { return }
        for member in world.members.members {
            let reserved = (lent["leases"]?.array ?? [])
                .filter { $0["kind"] == "points" && $0["subject"]?.string == member }
                .reduce(0) { $0 + ($1["left"]?.integer ?? 0) }
            let has = await world.hub.points(of: member, headers: push.headers)
            let balance = world.members.balance(of: member)
            if has != balance {
                world.fail(
                    "sums to the cent", "\(member) has \(has.map(String.init) ?? "no") points, not \(balance)"
                )
            }
            if world.fired[.hubRestore] == nil, reserved > max(0, balance) {
                world.fail("nothing is spent twice", "\(reserved) points of \(member)'s \(balance) are lent")
            }
        }
    }

    /// Of what honest tills send the hub flags nothing, but what a database that was put back explains.
    func compareFlags() async throws {
        guard world.fired[.hubRestore] == nil else { return }
        let page = BackOfficeCall.Page(.init(), limit: BackOfficeCall.Page.maximumLimit)
        let list = try await world.hub.perform(.backOffice(.listFlags(page, flag: nil)))
        // A till sells by the prices of its last pull, and a void takes back what its sale earned.
        let known = ["price_differs", "points_negative"] + (world.decided.isEmpty ? [] : ["card_decided"])
        for flag in list["flags"]?.array ?? []
        where !known.contains(flag["flag"]?.string ?? "") && !isRolledBack(flag["terminalId"]) {
            world.fail("no flag without a cause", flag.canonicalText)
        }
    }

    /// The figures of sales by each dimension that an entry has as a whole come to what the book has.
    func compareFigures() async throws {
        for dimension in [SalesDimension.day, .store, .terminal, .cashier] {
            let report = try await world.hub.perform(.backOffice(.sales(by: dimension, SalesFilter())))
            let net = (report["rows"]?.array ?? []).reduce(0) { $0 + ($1["net"]?.integer ?? 0) }
            if net != world.book.net() {
                world.fail(
                    "each view of the journal agrees",
                    "sales by \(dimension.rawValue) come to \(net), not \(world.book.net())")
            }
        }
    }

    /// Whoever reads the feed to its end has each sale once, and comes to what the book has.
    func compareFeed() async throws {
        var (sold, net, cursor) = ([String: Int](), Int64(0), String?.none)
        while true {
            let page = try await world.hub.perform(
                .readJournal(after: cursor, storeId: nil, types: "order,void,refund"))
            for part in page["documents"]?.array ?? [] {
                let entry = try part.string.map { try JSONParser.parse(Array($0.utf8)) } ?? part
                let total = entry["document"]?["total"]?.integer ?? 0
                let isSale = entry["type"]?.string == "order"
                net += isSale ? total : -total
                if isSale { sold[entry["orderId"]?.string ?? "", default: 0] += 1 }
            }
            cursor = page["cursor"]?.string
            guard page["hasMore"] == true else { break }
        }
        if sold.count != world.book.sold.count || sold.values.contains(where: { $0 > 1 }) {
            world.fail(
                "each view of the journal agrees",
                "the feed has \(sold.values.reduce(0, +)) orders, and \(world.book.sold.count) were sold")
        }
        if net != world.book.net() {
            world.fail(
                "each view of the journal agrees", "the feed comes to \(net), not \(world.book.net())")
        }
    }
}
