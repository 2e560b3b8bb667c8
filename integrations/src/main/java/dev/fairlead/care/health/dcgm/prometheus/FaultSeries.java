package dev.fairlead.care.health.dcgm.prometheus;

import dev.fairlead.care.health.dcgm.GpuSample;
import dev.fairlead.fleet.prometheus.QuerySeries;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** A sample of a GPU with the time of its evaluation, in seconds since 1970. */
record FaultSeries(double at, GpuSample sample) implements QuerySeries {
  /** Labels that may name the machine: of the exporter, and of the target by service discovery. */
  static final List<String> MACHINES =
      List.of("node", "kubernetes_node", "Hostname", "hostname", "exported_node");

  static FaultSeries of(JsonNode series) {
    JsonNode labels = series.path("metric");
    return new FaultSeries(
        QuerySeries.at(series),
        new GpuSample(
            labels.path("__name__").asString(""),
            labels.path("UUID").asString(""),
            MACHINES.stream()
                .flatMap(label -> Stream.of(labels.path(label).asString("")))
                .filter(name -> !name.isEmpty())
                .distinct()
                .toList(),
            QuerySeries.value(series)));
  }
}
