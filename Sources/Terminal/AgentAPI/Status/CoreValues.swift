internal import Base
package import HubProtocol
package import OfflineCore

// The words and values of the offline module as they are in documents.

extension CashMove.Kind: DocumentValue {}
extension DeviceProgress: DocumentValue {}
extension Mode: DocumentValue {}
extension OfflineCause: DocumentValue {}
extension NetworkStatus.State: DocumentValue {}
extension ServiceStatus.State: DocumentValue {}
extension ServiceStatus.Source: DocumentValue {}
extension ServiceDecision.State: DocumentValue {}
extension ServiceDecision.Scope: DocumentValue {}
extension ServiceDecision.Source: DocumentValue {}
extension ConnectivitySnapshot.State: DocumentValue {}
extension ConnectivitySnapshot.Reason: DocumentValue {}
extension Transport: DocumentValue {}
extension SyncObstacle: DocumentValue {}

/// The member `quality` of the status: how the last calls to the hub went.
extension QualityStatus: DocumentValue {
    package init(_ json: JSONValue, at path: String) throws(ShapeError) {
        let members = try AgentMembers(json, path: path)
        let (samples, failures): (Int64, Int64) = (try members.read("samples"), try members.read("failures"))
        let (p50, p95): (Int64?, Int64?) = (try members.nullable("p50Ms"), try members.nullable("p95Ms"))
        self.init(
            samples: Int(samples), failures: Int(failures), median: p50.map { .milliseconds($0) },
            percentile95: p95.map { .milliseconds($0) }, isDegraded: try members.read("degraded"))
    }

    package var json: JSONValue {
        [
            "samples": .integer(Int64(samples)), "failures": .integer(Int64(failures)),
            "p50Ms": JSONValue(median?.wholeMilliseconds),
            "p95Ms": JSONValue(percentile95?.wholeMilliseconds), "degraded": .bool(isDegraded),
        ]
    }
}
