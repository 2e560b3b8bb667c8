package dev.fairlead.work.workload.kubernetes.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fairlead.care.health.dcgm.GpuSample;
import java.util.List;
import java.util.stream.Stream;

/** A sample of a GPU with the time of its evaluation, in seconds since 1970. */
record FaultSeries(double at, GpuSample sample) implements TimedSeries {
  /** Labels that may name the machine: of the exporter, and of the target by service discovery. */
  static final List<String> MACHINES =
      List.of("node", "kubernetes_node", "Hostname", "hostname", "exported_node");

  static FaultSeries of(JsonNode series) {
    JsonNode labels = series.path("metric");
    return new FaultSeries(
        Series.at(series),
        new GpuSample(
            labels.path("__name__").asText(),
            labels.path("UUID").asText(),
            MACHINES.stream()
                .flatMap(label -> Stream.of(labels.path(label).asText()))
                .filter(name -> !name.isEmpty())
                .distinct()
                .toList(),
            Series.value(series)));
  }
}
