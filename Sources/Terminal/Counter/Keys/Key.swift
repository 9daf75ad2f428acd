/// One press of a key, or one paste, as ``KeyDecoder`` reads it.
package enum Key: Hashable, Sendable {
    /// A character; never one that a screen acts on. An accent of its own comes behind its letter.
    case typed(Unicode.Scalar)
    /// Control with a letter, in lower case: `control("c")`.
    case control(Unicode.Scalar)
    /// Alt with a character, or Escape and the character right behind it: terminals send the same.
    case alt(Unicode.Scalar)
    /// 1 to 12.
    case function(Int)
    /// What came between the marks of a bracketed paste, with U+000A for every line end.
    case paste(String)
    case enter, tab, backTab, backspace, escape
    case up, down, left, right, home, end, pageUp, pageDown, insert, delete
}

extension Key {
    /// The keys that would have typed a paste; any other key as it is.
    package var pressed: [Key] {
        guard case .paste(let text) = self else { return [self] }
        return text.unicodeScalars.map { $0 == "\n" ? .enter : .typed($0) }
    }

    /// A key by the parts of its control sequence (ECMA-48, 5.4): xterm, the Linux console, rxvt, tmux and
    /// screen. Nil for one that is not used.
    init?(final: Unicode.Scalar, parameter: String) {
        switch final {
        case "A": self = .up
        case "B": self = .down
        case "C": self = .right
        case "D": self = .left
        case "H": self = .home
        case "F": self = .end
        case "M": self = .enter
        case "P", "Q", "R", "S": self = .function(Int(final.value) - 0x4F)
        case "Z": self = .backTab
        case "~": self.init(parameter: parameter)
        default: return nil
        }
    }

    private init?(parameter: String) {
        switch Int(parameter) {
        case 1, 7: self = .home
        case 2: self = .insert
        case 3: self = .delete
        case 4, 8: self = .end
        case 5: self = .pageUp
        case 6: self = .pageDown
        case let number? where (11...15).contains(number): self = .function(number - 10)
        case let number? where (17...21).contains(number): self = .function(number - 11)
        case let number? where (23...24).contains(number): self = .function(number - 12)
        default: return nil
        }
    }
}
