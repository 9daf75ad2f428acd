import Foundation
package import Testing

/// Prometheus' own checks of metrics and rules, where `.ci/setup test` installed them.
package enum Promtool {
    package static let isAvailable = (try? Command.finish(["promtool", "--version"]))?.code == 0
    package static let need: Comment =
        "promtool is not installed: `.ci/setup test` installs Debian's package prometheus"

    /// What `promtool check metrics` says against a page; nil: nothing.
    package static func faults(ofPage text: String) throws -> String? {
        let folder = try TemporaryFolder()
        try text.write(toFile: folder.path("page.txt"), atomically: true, encoding: .utf8)
        let end = try Command.finish(["sh", "-c", "promtool check metrics < page.txt"], in: folder.path("."))
        return end.code == 0 ? nil : end.output + end.errors
    }
}
