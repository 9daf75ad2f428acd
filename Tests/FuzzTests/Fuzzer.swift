import Foundation

/// libFuzzer's program over one parser; built by `make fuzz` alone.
///
/// `fuzz PARSER FOLDER [libFuzzer's options]` begins from the parser's seeds and keeps what it finds in
/// FOLDER; without arguments it prints the parsers' names.
@main
enum Fuzzer {
    static func main() throws {
        guard CommandLine.arguments.count > 2 else {
            print(Parser.all.map(\.name).joined(separator: "\n"))
            return
        }
        let folder = URL(filePath: CommandLine.arguments[2], directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let kept = (try? fuzzedParser?.kept) ?? []
        for (number, seed) in ((fuzzedParser?.seeds ?? []) + kept).enumerated() {
            try Data(seed).write(to: folder.appending(path: "seed-\(number)"))
        }
        // libFuzzer takes the parser's name for its own.
        var count = CommandLine.argc - 1
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
        exit(runFuzzer(&count, &arguments, fuzzOneInput))
    }
}

private let fuzzedParser = Parser.all.first { $0.name == CommandLine.arguments[1] }

@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The name is libFuzzer's, whose own `main` the linker still requires it for.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let fuzzedParser else { return -1 }
    let fault = fuzzedParser.check(Array(UnsafeBufferPointer(start: start, count: count)))
    precondition(fault == nil, fault ?? "")
    return 0
}
