internal import AgentAPI

/// The other tills of the store as text.
enum NeighboursText {
    static func picture(_ picture: NeighboursCall.Response, _ text: any PosTexts) -> String {
        guard picture.isEnabled else { return text.neighboursOff }
        var lines: [String] = []
        if !picture.listening.isEmpty {
            lines.append(text.listening(picture.listening.joined(separator: ", ")))
        }
        lines += picture.notListening.map(text.notListening)
        if picture.refused > 0 { lines.append(text.strangers(picture.refused)) }
        if picture.isBehind { lines.append(text.diskIsOld) }
        let tills = picture.neighbours
        guard !tills.isEmpty else { return (lines + [text.noOtherTills]).joined(separator: "\n") }
        lines.append(text.otherTills(tills.count { $0.state == .reachable }, of: tills.count))
        lines += tills.map { "  " + text.till($0) }
        return lines.joined(separator: "\n")
    }
}
