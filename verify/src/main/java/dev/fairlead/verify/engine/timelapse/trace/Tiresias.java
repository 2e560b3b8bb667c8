package dev.fairlead.verify.engine.timelapse.trace;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.verify.BadInput;
import dev.fairlead.verify.load.replay.GangShape;
import dev.fairlead.verify.load.replay.TraceTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The sample of Tiresias (NSDI'19): jobs of one owner on switches of equal nodes. */
final class Tiresias {
  private static final String FOLDER = "tiresias-nsdi19";

  private Tiresias() {}

  static Trace read(ReplayPlan.Files files) {
    Path spec = files.nodes(FOLDER, "cluster_spec.csv");
    List<Node> nodes = new ArrayList<>();
    new TraceTable(spec).rows(row -> nodes.addAll(switches(row)));
    int largest = Math.max(1, nodes.stream().mapToInt(n -> n.gpus().size()).max().orElse(1));
    Path file = files.jobs(FOLDER, "60_job.csv");
    List<Arrival> jobs = new ArrayList<>(new TraceTable(file).rows(row -> job(row, largest)));
    jobs.sort(Comparator.comparingLong(Arrival::submitted));
    if (nodes.isEmpty() || jobs.isEmpty()) {
      throw new BadInput((nodes.isEmpty() ? spec : file) + ": expected at least one row");
    }
    return new Trace("tiresias", nodes, new TreeMap<>(Map.of("all", 1.0)), jobs);
  }

  private static List<Node> switches(TraceTable.Row row) {
    int switches = row.field("num_switch", "1 to 1000", t -> Fields.within(t, 1, 1000));
    int each = row.field("num_node_p_switch", "1 to 1000", t -> Fields.within(t, 1, 1000));
    int gpus = row.field("num_gpu_p_node", "1 to 64", t -> Fields.within(t, 1, 64));
    long cores = row.field("num_cpu_p_node", "cores, 1 or more", t -> Fields.within(t, 1, 10_000));
    long gib = row.field("mem_p_node", "GiB, 1 or more", t -> Fields.within(t, 1, 1_000_000));
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < switches * each; i++) {
      String name = String.format(Locale.ROOT, "n%05d", i);
      nodes.add(Hardware.node(name, i, "GPU", gpus, cores * 1000, gib * 1024, "s" + i / each));
    }
    return nodes;
  }

  private static Arrival job(TraceTable.Row row, int ofANode) {
    int gpus = row.field("num_gpu", "1 to 10000", t -> Fields.within(t, 1, 10_000));
    GangShape shape = GangShape.of(gpus, ofANode);
    return new Arrival(
        row.field("job_id", "a name", Fields::text),
        "all",
        row.field("submit_time", "seconds, 0 or more", Fields::amount),
        row.field("duration", "seconds, 0 or more", Fields::amount),
        shape.members(),
        GpuRequest.whole(shape.gpusEach()),
        shape.gpusEach() * 1000L,
        shape.gpusEach() * 4096L);
  }
}
