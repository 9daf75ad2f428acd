import Foundation

/// A parser of bytes from the network or from disk, with what must be true whatever the bytes are.
struct Parser: Sendable {
    /// What `make fuzz TARGET=…` calls it.
    let name: String
    /// Documents that it accepts, to begin from.
    let seeds: [[UInt8]]
    /// Nil when all is well, else what is wrong. It must neither trap nor hang.
    let check: @Sendable ([UInt8]) -> String?

    init(_ name: String, seeds: [String], check: @escaping @Sendable ([UInt8]) -> String?) {
        self.init(name, seeds: seeds.map { Array($0.utf8) }, check: check)
    }

    init(_ name: String, seeds: [[UInt8]], check: @escaping @Sendable ([UInt8]) -> String?) {
        self.name = name
        self.seeds = seeds
        self.check = check
    }

    /// Inputs of card machines that were kept, in `Corpus`: what once went wrong, and what is nearly right. A
    /// line has one in Base64.
    ///
    /// - Throws: where the parser has no such file.
    var kept: [[UInt8]] {
        get throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "Corpus/\(name).txt")
            return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
                Array(Data(base64Encoded: String(line)) ?? Data())
            }
        }
    }

    static let all = documents + offers + texts + responses + packets
}
