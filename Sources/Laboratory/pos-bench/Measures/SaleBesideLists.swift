import Base

internal import Foundation

/// What a sale takes while a dozen front ends list all orders of a busy day without a pause, beside the same
/// sale alone in the same run.
///
/// Everything goes over the agent's socket, offline. The front ends are threads of this program that read the
/// bytes of a page and request the next: what a real one makes of them is its own processor's work.
struct SaleBesideLists: RowMeasure {
    private static let orders = 1_500
    private static let frontEnds = 12
    private static let rounds = 3
    /// Sales of one phase: the 99th percentile is then the fourth largest.
    private static let sales = 400
    /// Between two sales: a busy shop, and no load of its own.
    private static let pauseMicroseconds: UInt32 = 10_000

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Shop("lists", in: workshop)
        let agent = try shop.startAgent()
        defer { agent.stop() }
        try shop.switchOffline(true)
        let stream = try shop.startSelling()
        for _ in 0..<Self.orders { _ = try stream.sell() }
        try stream.end()
        let socket = shop.home + "/agent.sock"
        let till = try HubConnection(socketAt: socket)
        _ = try phase(on: till)
        var (alone, beside, longest, pages) = (Samples(), Samples(), Samples(), Samples())
        for _ in 0..<Self.rounds {
            var quiet = try phase(on: till)
            alone.add(Int64(quiet.percentile(0.99)))
            let frontEnds = (0..<Self.frontEnds).map { _ in ListingFrontEnd(socket, orders: Self.orders) }
            frontEnds.forEach { $0.start() }
            let start = Stopwatch.now()
            var busy: Samples
            do throws(BenchFailure) {
                busy = try phase(on: till)
            } catch {
                frontEnds.forEach { $0.stop() }
                throw error
            }
            let elapsed = Stopwatch.now() - start
            frontEnds.forEach { $0.stop() }
            beside.add(Int64(busy.percentile(0.99)))
            longest.add(Int64(busy.largest()))
            pages.add(Int64(frontEnds.reduce(0) { $0 + $1.pages }) * 1_000_000_000_000 / elapsed)
        }
        return [
            Row(
                name: "sale p99 beside 12 that list 1,500 orders", figure: beside.median(), unit: .time,
                yardstick: ("p99 alone", alone.median()), aim: .ratioAtMost(2)),
            Row(
                name: "the longest sale of each round, median", figure: longest.median(), unit: .time,
                yardstick: ("p99 alone", alone.median())),
            Row(name: "pages of 500 orders meanwhile", figure: pages.median() / 1000, unit: .perSecond),
        ]
    }

    private func phase(on till: HubConnection) throws(BenchFailure) -> Samples {
        var samples = Samples()
        for index in 0..<Self.sales {
            let sale = HubConnection.request(
                "POST", "/v1/sales", body: Array(Baskets.request(index).utf8))
            let start = Stopwatch.now()
            let response = try till.query(sale)
            samples.add(Stopwatch.now() - start)
            guard response.status == 200 else {
                throw .programFailed(
                    name: "pos agent", detail: "a sale was answered \(response.status)",
                    lastErrors: String(decoding: response.body, as: UTF8.self))
            }
            usleep(Self.pauseMicroseconds)
        }
        return samples
    }
}

/// A front end that lists on a thread of its own.
private final class ListingFrontEnd: @unchecked Sendable {
    // `isStopped` and `count` are guarded by `lock`.
    private let lock = NSLock()
    private let socket: String
    private let orders: Int
    private var isStopped = false
    private var count = 0
    private let done = DispatchSemaphore(value: 0)

    init(_ socket: String, orders: Int) {
        (self.socket, self.orders) = (socket, orders)
    }

    /// How many pages it had.
    var pages: Int { lock.withLock { count } }

    func start() {
        Thread.detachNewThread { [self] in
            let connection = try? HubConnection(socketAt: socket)
            while let connection, !lock.withLock({ isStopped }), list(on: connection) {}
            done.signal()
        }
    }

    /// Returns when the thread has ended.
    func stop() {
        lock.withLock { isStopped = true }
        done.wait()
    }

    /// The pages of one list; false when it was broken off.
    private func list(on connection: HubConnection) -> Bool {
        var next: String?
        repeat {
            let page = next.map { "&before=" + $0 } ?? ""
            let request = HubConnection.request("GET", "/v1/orders?limit=\(orders)\(page)")
            guard let response = try? connection.query(request), response.status == 200 else { return false }
            lock.withLock { count += 1 }
            next = Self.next(of: response.body)
        } while next != nil && !lock.withLock { isStopped }
        return next == nil
    }

    /// The member `next`, which is the first of the document.
    private static func next(of body: [UInt8]) -> String? {
        let mark = Array(#"{"next":""#.utf8)
        guard body.starts(with: mark) else { return nil }
        return String(decoding: body.dropFirst(mark.count).prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }
}
