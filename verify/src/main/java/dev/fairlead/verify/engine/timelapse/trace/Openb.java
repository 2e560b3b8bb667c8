package dev.fairlead.verify.engine.timelapse.trace;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.verify.BadInput;
import dev.fairlead.verify.load.replay.TraceTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The openb trace of Alibaba (2023): pods with their times, by class of service. A class has nodes
 * in proportion to its requested GPU time.
 */
final class Openb {
  private static final String FOLDER = "alibaba-gpu-v2023";

  private Openb() {}

  static Trace read(ReplayPlan.Files files) {
    Path pods = files.jobs(FOLDER, "openb_pod_list_default.csv");
    Path nodes = files.nodes(FOLDER, "openb_node_list_gpu_node.csv");
    List<Node> fleet = new ArrayList<>();
    new TraceTable(nodes).rows(row -> fleet.add(node(row, fleet.size())));
    List<Arrival> jobs = new ArrayList<>(new TraceTable(pods).rows(Openb::pod));
    jobs.sort(Comparator.comparingLong(Arrival::submitted));
    if (jobs.isEmpty() || fleet.isEmpty()) {
      throw new BadInput((jobs.isEmpty() ? pods : nodes) + ": expected at least one row");
    }
    SortedMap<String, Double> weights = new TreeMap<>();
    jobs.forEach(j ->
        weights.merge(j.queue(), (double) Math.max(1, j.gpuMilli()) * (j.run() + 1), Double::sum));
    return new Trace("openb", fleet, weights, jobs);
  }

  private static Node node(TraceTable.Row row, int number) {
    String name = row.field("sn", "a name", Fields::text);
    long cpu = row.field("cpu_milli", "thousandths of a core, 0 or more", Fields::amount);
    long memory = row.field("memory_mib", "MiB, 0 or more", Fields::amount);
    int gpus = row.field("gpu", "a number of GPUs, 0 to 64", t -> Fields.within(t, 0, 64));
    String model = gpus == 0 ? Flavor.CPU : row.field("model", "a GPU model", Fields::text);
    return Hardware.node(name, number, model, gpus, cpu, memory, "r" + number / 16);
  }

  private static Arrival pod(TraceTable.Row row) {
    int gpus = row.field("num_gpu", "a number of GPUs, 0 to 64", t -> Fields.within(t, 0, 64));
    int milli =
        gpus == 1
            ? row.field(
                "gpu_milli", "thousandths of one GPU, 1 to 1000", t -> Fields.within(t, 1, 1000))
            : 1000;
    String[] models =
        row.has("gpu_spec")
            ? row.field(
                "gpu_spec", "models between |", t -> t.isBlank() ? new String[0] : t.split("\\|"))
            : new String[0];
    long created = row.field("creation_time", "seconds, 0 or more", Fields::amount);
    long deleted = row.field("deletion_time", "seconds, 0 or more", Fields::amount);
    String scheduled = row.field("scheduled_time", "seconds, or nothing", Fields::amountOrNothing);
    long began = scheduled.isEmpty() ? created : Long.parseLong(scheduled);
    return new Arrival(
        row.field("name", "a name", Fields::text),
        row.field("qos", "a class of service", Fields::text),
        created,
        Math.max(0, deleted - began),
        1,
        gpu(gpus, milli, models),
        row.field("cpu_milli", "thousandths of a core, 0 or more", Fields::amount),
        row.field("memory_mib", "MiB, 0 or more", Fields::amount));
  }

  private static GpuRequest gpu(int gpus, int milli, String... models) {
    if (gpus == 0) {
      return GpuRequest.NONE;
    }
    return gpus == 1 && milli < 1000
        ? GpuRequest.fraction(milli, models)
        : GpuRequest.whole(gpus, models);
  }
}
