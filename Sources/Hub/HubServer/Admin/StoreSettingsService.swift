internal import Foundation
internal import HubCore
internal import HubProtocol
internal import HubStore
internal import OfflineCore

/// What operators tune for a store. The hub refuses what a till would refuse.
struct StoreSettingsService {
    let ledger: any Ledger
    let now: @Sendable () -> Int64

    func show(_ storeId: String) async throws -> JSONValue {
        try checkStore(storeId)
        return document(try await ledger.storeSettings(of: storeId), of: storeId)
    }

    func change(_ changes: JSONObject, of storeId: String) async throws -> JSONValue {
        try checkStore(storeId)
        for (key, value) in changes.sorted(by: { $0.key < $1.key }) where value != .null {
            guard let setting = StoreSetting.named(key) else {
                let known = StoreSetting.all.map(\.key)
                let meant = KnownNames.meant(by: key, among: known).map { "did you mean \($0)?" }
                throw refusal(
                    "\(key.printable) is not tuned from the hub; "
                        + (meant ?? "these are: \(known.joined(separator: ", "))"))
            }
            guard setting.takes(value) else {
                throw refusal("\(key) is \(value.canonicalText); it must be \(setting.expected)")
            }
        }
        return document(
            try await ledger.changeStoreSettings(changes, of: storeId, at: now()), of: storeId)
    }

    private func document(_ settings: StoreSettings, of storeId: String) -> JSONValue {
        ["storeId": .string(storeId), "settings": settings.json]
    }

    private func checkStore(_ storeId: String) throws(Problem) {
        guard StoreIdentifier.isValid(storeId) else {
            throw .malformed("A store's id is 1 to 32 letters, digits, hyphens or underscores.")
        }
    }

    private func refusal(_ message: String) -> Problem {
        Problem(
            status: 422, code: ProblemCode(rawValue: "setting_refused"), title: "Nothing was changed",
            detail: message)
    }
}

extension StoreSetting {
    /// Whether a terminal would take `value`.
    func takes(_ value: JSONValue) -> Bool {
        switch (kind, value) {
        case (.integer(let range), .integer(let number)): range.contains(number)
        case (.line, .string(let text)): text.utf8.count <= 200 && !text.contains(where: \.isNewline)
        case (.timeZone, .string(let text)): TimeZone(identifier: text) != nil
        case (.timeOfDay, .string(let text)): BusinessDayBegin(text) != nil
        case (.quietHours, .string(let text)): QuietHours(text) != nil
        case (.oneOf(let words), .string(let text)): words.contains(text)
        case (.words(let words), .array(let list)):
            Set(list).count == list.count && list.allSatisfy { $0.string.map(words.contains) ?? false }
        case (.barcodeRules, .string(let text)): text.isEmpty || BarcodeRule.list(text) != nil
        case (.tenders, let value): TenderList(json: value) != nil
        case (.integer, _), (.line, _), (.timeZone, _), (.timeOfDay, _), (.quietHours, _), (.oneOf, _),
            (.words, _), (.barcodeRules, _):
            false
        }
    }
}
