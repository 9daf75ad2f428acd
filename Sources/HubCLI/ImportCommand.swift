internal import ArgumentParser
internal import Foundation
internal import HubCore
internal import HubProtocol
internal import HubServer

/// `pos-hub import`: takes files of master data in, each whole or not at all.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import master data from CSV.", subcommands: [Products.self])

    struct Products: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import products. Known ones are changed, absent ones stay.",
            discussion: "Columns: " + ProductImport.columns.joined(separator: ","))

        @OptionGroup var options: StoreOptions

        @Argument(help: "The CSV file: UTF-8, header line, RFC 4180.")
        var file: String

        func run() async throws {
            let products = try read()
            let answer = try await HubAccess(configuration: options.configuration())
                .perform(.importProducts(products))
            try options.show(answer) { answer in
                func number(_ key: String) -> Int64 { answer[key]?.integer ?? 0 }
                return "\(number("imported")) products: \(number("new")) new, "
                    + "\(number("changed")) changed, \(number("unchanged")) as they were"
            }
        }

        private func read() throws(CommandFailure) -> [ProductRecord] {
            guard let data = FileManager.default.contents(atPath: file) else {
                throw .unusable("\(file) cannot be read")
            }
            var progress = ProgressBar(label: "products")
            defer { progress.finish() }
            do throws(CSVError) {
                var reader = try ProductImport(Array(data))
                var products: [ProductRecord] = []
                while let product = try reader.next() {
                    products.append(product)
                    progress.show(reader.progress)
                }
                return products
            } catch {
                progress.finish()
                throw .refused("\(file), \(error); nothing was imported")
            }
        }
    }
}
