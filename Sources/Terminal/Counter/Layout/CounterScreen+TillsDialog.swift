internal import AgentAPI

/// The other tills of the store: who is there, what waits there, and what they keep of this one.
extension CounterScreen {
    func drawTills(_ frame: inout Frame, _ tills: NeighboursCall.Response?, _ selected: Int) {
        guard let tills, tills.isEnabled, !tills.neighbours.isEmpty else {
            let none = tills?.isEnabled == true ? text.noOtherTill : text.tillsAreOff
            _ = box(&frame, text.otherTills, emptyRows(tills == nil, none), width: wide)
            return
        }
        var rows: [Row] = []
        for (place, till) in shown(tills.neighbours, selected) {
            rows.append(Row(left: name(till), right: detail(till), isSelected: place == selected))
        }
        if let since = tills.notConfirmedSince {
            rows +=
                [Row(left: "")] + paragraph(text.notConfirmed(since: moment(since)), style: .error).dropLast()
        }
        if tills.isBehind {
            rows += [Row(left: "")] + paragraph(text.diskIsOld, style: .error).dropLast()
        }
        _ = box(
            &frame, text.otherTills, rows, width: wide, more: more(of: tills.neighbours.count, selected))
    }

    /// `till 2 · online`.
    private func name(_ till: NeighboursCall.Till) -> String {
        let name = till.number.map(text.till) ?? till.terminalId
        let isThere = till.state == .reachable
        return name + " · " + text.tillState(till.state, isOnline: isThere ? till.mode == "online" : nil)
    }

    /// `14:02 · 3 wait there · has 10 of ours`.
    private func detail(_ till: NeighboursCall.Till) -> String {
        var parts = [till.heardAt.map { text.lastHeard(time($0)) } ?? ""]
        if let pending = till.pending, pending > 0 { parts.append(text.waitThere(pending)) }
        if till.keepsForUs > 0 { parts.append(text.hasOfOurs(till.keepsForUs)) }
        return parts.filter { !$0.isEmpty }.joined(separator: " · ")
    }
}
