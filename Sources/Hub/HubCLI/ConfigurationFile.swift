import Base

internal import Foundation
internal import HubProtocol
internal import HubServer

/// The hub's configuration file: JSON with the keys of ``HubConfigurationKey``, as in `config/hub.json`.
enum ConfigurationFile {
    /// Reads the file at `path` over `configuration`.
    static func read(_ path: String, into configuration: inout HubConfiguration) throws(CommandFailure) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw .unusable("the configuration \(path) cannot be read")
        }
        let json: JSONValue
        do {
            json = try JSONParser.parse(data)
        } catch {
            throw .unusable("the configuration \(path) is not JSON: \(error)")
        }
        do throws(ConfigurationRefusal) {
            try configuration.read(json)
        } catch {
            throw .unusable("the configuration \(path): \(error)")
        }
    }

    /// Sets keys by the texts of options; nil leaves one as it is.
    static func apply(
        _ options: [(key: String, text: String?)], probes: [String] = [],
        to configuration: inout HubConfiguration
    ) throws(CommandFailure) {
        do throws(ConfigurationRefusal) {
            for (key, text) in options { try configuration.apply(key, text) }
            for probe in probes { try configuration.applyProbe(probe) }
        } catch {
            throw .usage(error.description)
        }
    }
}
