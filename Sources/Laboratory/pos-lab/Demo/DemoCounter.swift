internal import Agent
internal import AgentAPI
import Base
internal import Counter
internal import Foundation
internal import HubProtocol
internal import OfflineCore
internal import PosCLI

/// The full-screen counter of the demo's till: the screen that `pos sell` shows, with keys that nobody has to
/// press.
///
/// It is the screen's own value with the demo's agent behind it, so that what is printed is what a cashier
/// sees.
struct DemoCounter {
    private static let (columns, rows) = (80, 24)

    private let connection: any AgentConnection
    private var screen: CounterScreen
    private var keys = KeyDecoder()
    /// What the last sale came to; nil before it.
    private(set) var sold: SaleResponse?

    /// A counter that begins with the status of now.
    init(_ connection: any AgentConnection) async throws(TerminalError) {
        self.connection = connection
        screen = CounterScreen(
            language: .english, columns: Self.columns, rows: Self.rows,
            secondsFromUTC: { zone, milliseconds in
                let moment = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
                return Int64(TimeZone(identifier: zone)?.secondsFromGMT(for: moment) ?? 0)
            },
            mintKey: SaleKey.mint)
        try await follow()
    }

    /// Takes the status of now, as the counter does with every change.
    mutating func follow() async throws(TerminalError) {
        let status = try await connection.send(StatusCall())
        await handle(
            .status(
                CounterStatus(
                    status, banner: StatusText.banner(status), isOffline: status.mode == .offline,
                    level: status.banner.advice.level, command: status.banner.command, language: .english)))
    }

    /// Types `text`, as a scanner does.
    mutating func scan(_ text: String) async {
        for key in keys.take((text + "\r").utf8) { await handle(.key(key)) }
    }

    /// Presses one key.
    mutating func press(_ key: Key) async { await handle(.key(key)) }

    /// Moves down to the last row of the tenders.
    mutating func chooseLastTender() async {
        for _ in screen.tenderChoices("").dropFirst() { await press(.down) }
    }

    /// The screen as it is now, between two rules; styled where standard output is a terminal. No row is
    /// wider than the counter itself, so that it is whole in a window of 80 columns, too.
    var picture: [String] {
        let frame = screen.frame()
        let edge = String(repeating: "─", count: frame.columns)
        let rows = (0..<frame.rows).map { row in
            let cells = frame.cells[row * frame.columns..<(row + 1) * frame.columns]
            return Output.usesColour ? Self.styled(cells) : Self.plain(cells)
        }
        return [edge] + rows + [edge]
    }

    private mutating func handle(_ event: CounterEvent) async {
        for effect in screen.handle(event) {
            guard case .request(let id, let request) = effect else { continue }
            let response = await request.response(of: connection)
            if case .sold(let sale) = response { sold = sale }
            await handle(.response(id: id, response))
        }
    }

    private static func plain(_ cells: ArraySlice<Frame.Cell>) -> String {
        String(cells.compactMap(\.character))
    }

    /// With the colours that the counter has on most terminals.
    private static func styled(_ cells: ArraySlice<Frame.Cell>) -> String {
        var (text, last) = ("", FrameStyle.plain)
        for cell in cells {
            guard let character = cell.character else { continue }
            if cell.style != last {
                text += "\u{1B}[0;\(codes[cell.style] ?? "0")m"
                last = cell.style
            }
            text.append(character)
        }
        return text + "\u{1B}[0m"
    }

    /// What a terminal is sent before text of a style (ECMA-48, SGR).
    private static let codes: [FrameStyle: String] = [
        .bold: "1", .dim: "2", .title: "1", .calm: "32", .alert: "30;43", .stopped: "37;41", .error: "31",
        .heading: "36", .selected: "7", .key: "33", .total: "1", .money: "1", .border: "36",
    ]
}
