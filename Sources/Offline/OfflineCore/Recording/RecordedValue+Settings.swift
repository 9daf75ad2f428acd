extension OfflineSettings: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        writer.put(network)
        writer.put(quality)
        writer.put(service)
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        self.init(network: try reader.take(), quality: try reader.take(), service: try reader.take())
    }
}

extension NetworkSettings: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        writer.put(debounceRule)
        writer.put(debounce)
        writer.put(pathDebounce)
        writer.put(pingInterval)
        writer.put(pingTimeout)
        writer.put(roundPings)
        writer.put(probeInterval)
        writer.put(probeTimeout)
        writer.put(intervalJitterPerMille)
        writer.put(outageProbeFirst)
        writer.put(outageProbeCap)
        writer.put(requestTimeout)
        writer.put(outageJitterPerMille)
        writer.put(recoveryHold)
        writer.put(recoveryHoldCap)
        writer.put(recoveryProbeInterval)
        writer.put(flapWindow)
        writer.put(settle)
        writer.put(clockTolerance)
        writer.put(probesInternet)
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        self.init(
            debounceRule: try reader.take(), debounce: try reader.take(), pathDebounce: try reader.take(),
            pingInterval: try reader.take(),
            pingTimeout: try reader.take(), roundPings: try reader.take(), probeInterval: try reader.take(),
            probeTimeout: try reader.take(), intervalJitterPerMille: try reader.take(),
            outageProbeFirst: try reader.take(), outageProbeCap: try reader.take(),
            requestTimeout: try reader.take(), outageJitterPerMille: try reader.take(),
            recoveryHold: try reader.take(), recoveryHoldCap: try reader.take(),
            recoveryProbeInterval: try reader.take(), flapWindow: try reader.take(),
            settle: try reader.take(), clockTolerance: try reader.take(), probesInternet: try reader.take())
    }
}

extension QualitySettings: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        writer.put(samples)
        writer.put(window)
        writer.put(minimumSamples)
        writer.put(degradedPerMille)
        writer.put(degradedLatency)
        writer.put(goodPerMille)
        writer.put(goodLatency)
        writer.put(dwell)
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        self.init(
            samples: try reader.take(), window: try reader.take(), minimumSamples: try reader.take(),
            degradedPerMille: try reader.take(), degradedLatency: try reader.take(),
            goodPerMille: try reader.take(), goodLatency: try reader.take(), dwell: try reader.take())
    }
}

extension ServiceSettings: RecordedValue {
    func write(to writer: inout RecordingFieldWriter) {
        writer.put(consecutiveFailures)
        writer.put(minimumSamples)
        writer.put(failurePerMille)
        writer.put(window)
        writer.put(reportGap)
        writer.put(reportInterval)
        writer.put(pollInterval)
        writer.put(queryTimeout)
        writer.put(queryRetry)
        writer.put(failedQueries)
        writer.put(silenceLimit)
        writer.put(lease)
        writer.put(canaryTimeout)
        writer.put(goodCanaries)
        writer.put(dwell)
        writer.put(dwellCap)
        writer.put(flapWindow)
    }

    init(from reader: inout RecordingFieldReader) throws(RecordingLineError) {
        self.init(
            consecutiveFailures: try reader.take(), minimumSamples: try reader.take(),
            failurePerMille: try reader.take(), window: try reader.take(), reportGap: try reader.take(),
            reportInterval: try reader.take(), pollInterval: try reader.take(),
            queryTimeout: try reader.take(), queryRetry: try reader.take(),
            failedQueries: try reader.take(), silenceLimit: try reader.take(), lease: try reader.take(),
            canaryTimeout: try reader.take(), goodCanaries: try reader.take(), dwell: try reader.take(),
            dwellCap: try reader.take(), flapWindow: try reader.take())
    }
}
