internal import Foundation
internal import HubProtocol
internal import OfflineCore

extension StoreSetting {
    /// Whether a terminal would take `value`.
    func takes(_ value: JSONValue) -> Bool {
        switch (kind, value) {
        case (.integer(let range), .integer(let number)): range.contains(number)
        case (.line, .string(let text)): text.utf8.count <= 200 && !text.contains(where: \.isNewline)
        case (.timeZone, .string(let text)): TimeZone(identifier: text) != nil
        case (.timeOfDay, .string(let text)): QuietHours("\(text)-00:00") != nil || text == "00:00"
        case (.quietHours, .string(let text)): QuietHours(text) != nil
        case (.oneOf(let words), .string(let text)): words.contains(text)
        case (.words(let words), .array(let list)):
            Set(list).count == list.count && list.allSatisfy { $0.string.map(words.contains) ?? false }
        case (.integer, _), (.line, _), (.timeZone, _), (.timeOfDay, _), (.quietHours, _), (.oneOf, _),
            (.words, _):
            false
        }
    }
}
