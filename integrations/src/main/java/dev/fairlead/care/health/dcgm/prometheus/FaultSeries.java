package dev.fairlead.care.health.dcgm.prometheus;

import dev.fairlead.care.health.dcgm.GpuSample;
import dev.fairlead.fleet.prometheus.QuerySeries;
import dev.fairlead.work.attempt.ObjectNames;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A sample of a GPU with the time of its evaluation, in seconds since 1970. */
record FaultSeries(double at, GpuSample sample) implements QuerySeries {
  /** Labels that may name the machine: of the exporter, and of the target by service discovery. */
  static final List<String> MACHINES =
      List.of("node", "kubernetes_node", "Hostname", "hostname", "exported_node");

  /** Label of a series of a MIG instance. */
  private static final String SLICE = "GPU_I_ID";

  /** Labels that name the pod of a GPU. They are renamed if the scraper does not honor them. */
  static final List<String> HOLDERS =
      List.of(SLICE, "namespace", "pod", "exported_namespace", "exported_pod");

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
            QuerySeries.value(series),
            holder(labels)));
  }

  /**
   * Returns the pod that uses the GPU. A target that is a pod of a job may name the pods of others,
   * so its labels do not count.
   */
  private static GpuSample.@Nullable Holder holder(JsonNode labels) {
    boolean renamed = labels.has("exported_pod");
    String prefix = renamed ? "exported_" : "";
    String pod = labels.path(prefix + "pod").asString("");
    boolean ofJob = renamed && labels.path("pod").asString("").startsWith(ObjectNames.PREFIX);
    return ofJob || !pod.startsWith(ObjectNames.PREFIX)
        ? null
        : new GpuSample.Holder(
            labels.path(prefix + "namespace").asString(""),
            pod,
            !labels.path(SLICE).asString("").isEmpty());
  }
}
