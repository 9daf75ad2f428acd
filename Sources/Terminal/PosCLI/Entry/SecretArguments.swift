internal import CLinux

/// The arguments of the program, with the values that nobody else may see taken out of its own memory:
/// `/proc/PID/cmdline` shows every user what lies there.
///
/// They were to be seen from the program's start until here, a few milliseconds; only a form that is not an
/// argument is never seen.
package struct SecretArguments: Sendable {
    /// Without the program's name, as they were given.
    package let arguments: [String]
    /// The options whose values were to be seen.
    package let exposed: [String]

    /// The options, and what is the safe form of each.
    static let safeForms = ["--pin": "--pin-stdin", "--enrol": "--enrol-stdin"]

    /// Reads the arguments and overwrites the secret ones. To be called first of all, once.
    package static func take() -> SecretArguments {
        var count: Int32 = 0
        guard let memory = clinux_arguments(&count) else {
            return SecretArguments(arguments: Array(CommandLine.arguments.dropFirst()), exposed: [])
        }
        var arguments: [String] = []
        var exposed: [String] = []
        var isSecret = false
        for index in 0..<Int(count) {
            guard let place = memory[index] else { break }
            let text = String(cString: place)
            arguments.append(text)
            if isSecret {
                erase(place, from: 0)
                isSecret = false
            } else if safeForms[text] != nil {
                exposed.append(text)
                isSecret = true
            } else if let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")),
                safeForms[String(text[..<equals])] != nil
            {
                exposed.append(String(text[..<equals]))
                erase(place, from: text.utf8.distance(from: text.utf8.startIndex, to: equals) + 1)
            }
        }
        return SecretArguments(arguments: Array(arguments.dropFirst()), exposed: exposed)
    }

    /// The length stays to be seen.
    private static func erase(_ text: UnsafeMutablePointer<CChar>, from offset: Int) {
        var place = text + offset
        while place.pointee != 0 {
            place.pointee = CChar(UInt8(ascii: "x"))
            place += 1
        }
    }
}
