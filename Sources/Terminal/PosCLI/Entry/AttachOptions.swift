internal import ArgumentParser
internal import Foundation
internal import HubProtocol

/// Files that go with what is recorded.
struct AttachOptions: ParsableArguments {
    @Option(
        help: "A file that belongs to it: a signed receipt, a photo; up to 16 MiB. May be repeated.")
    var attach: [String] = []

    /// The absolute paths for the agent, whose working folder is another one.
    var paths: [String] { attach.map { URL(fileURLWithPath: $0).standardizedFileURL.path } }
}
