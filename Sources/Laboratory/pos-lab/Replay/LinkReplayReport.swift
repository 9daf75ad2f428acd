internal import PosCLI
internal import Foundation
internal import HubProtocol
internal import OfflineCore
internal import Simulation
internal import Agent

/// The real machine on link recordings.
struct LinkReplayReport {
    private let comparisons: [(path: String, comparison: Comparison)]

    init(
        paths: [String], _ request: ReplayRequest, salesPerHour: UInt64, seed: UInt64
    ) throws(TerminalError) {
        let sales: SalePace = salesPerHour == 0 ? .none : .drawn(perHour: salesPerHour, seed: seed)
        let base = OfflineSettings()
        let requested = request.variants(of: base)
        // A single change is shown beside the defaults, a sweep stands for itself.
        let variants =
            requested.count > 1 ? requested : [Variant(name: "defaults", settings: base)] + requested
        var comparisons: [(path: String, comparison: Comparison)] = []
        for path in paths {
            let trace = try Self.read(path)
            comparisons.append(
                (
                    path,
                    Comparison(
                        on: trace, variants: variants, sales: sales, budget: ReplayRequest.budget, seed: seed)
                ))
        }
        self.comparisons = comparisons
    }

    private static func read(_ path: String) throws(TerminalError) -> LinkTrace {
        guard !path.hasSuffix(".gz") else {
            throw TerminalError(
                .usage, code: "link_compressed",
                text: { _ in "\(path) is compressed; unpack it first: gunzip -k \(path)" })
        }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw TerminalError(
                .usage, code: "link_missing", text: { _ in "cannot read \(path); name a link recording" })
        }
        do throws(LinkTraceError) {
            return try LinkTrace(csv: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw TerminalError(.usage, code: "link_malformed", text: { _ in "\(path)\(error.words)" })
        }
    }

    func show(json: Bool, svg: String?) throws {
        if let svg, let (path, comparison) = comparisons.first {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            try ChartFile(path: svg).write(ComparisonChart(comparison, title: name))
        }
        guard json else {
            let texts = comparisons.map { path, comparison in
                "\(path), \(comparison.span.asText), dead for \(comparison.outages.total.asText)\n"
                    + ComparisonText.table(comparison)
            }
            return Output.line(texts.joined(separator: "\n\n"))
        }
        let links = comparisons.map { path, comparison -> JSONValue in
            ["file": .string(path), "comparison": ComparisonText.document(comparison)]
        }
        Output.document(["links": .array(links)])
    }
}

extension LinkTraceError {
    fileprivate var words: String {
        switch self {
        case .noHeader: ": its first line must be \(LinkTrace.header)"
        case .malformed(let line): ":\(line): the fields must be \(LinkTrace.header), times up to fifty years"
        case .backwards(let line): ":\(line): the time is before that of the line above"
        case .empty: ": there is no time in it"
        }
    }
}
