/// A document as a person reads it.
extension JSONValue {
    /// Members and elements on lines of their own, indented by two spaces a level; what is empty, a number or
    /// a text is on one line.
    package var indentedLines: [String] {
        var lines: [String] = []
        write(before: "", depth: 0, after: "", to: &lines)
        return lines
    }

    private func write(before: String, depth: Int, after: String, to lines: inout [String]) {
        let space = String(repeating: "  ", count: depth)
        if let members = object, !members.isEmpty {
            lines.append(space + before + "{")
            for (place, member) in members.enumerated() {
                let key = JSONValue.string(member.0).canonicalText + ": "
                let comma = place == members.count - 1 ? "" : ","
                member.1.write(before: key, depth: depth + 1, after: comma, to: &lines)
            }
            lines.append(space + "}" + after)
        } else if let elements = array, !elements.isEmpty {
            lines.append(space + before + "[")
            for (place, element) in elements.enumerated() {
                let comma = place == elements.count - 1 ? "" : ","
                element.write(before: "", depth: depth + 1, after: comma, to: &lines)
            }
            lines.append(space + "]" + after)
        } else {
            lines.append(space + before + canonicalText + after)
        }
    }
}
