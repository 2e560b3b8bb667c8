package dev.fairlead.verify.engine.timelapse;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.verify.BadInput;
import dev.fairlead.verify.CoreTime;
import dev.fairlead.verify.engine.timelapse.trace.Fields;
import dev.fairlead.verify.engine.timelapse.trace.Hardware;
import dev.fairlead.verify.engine.timelapse.trace.ReplayPlan;
import dev.fairlead.verify.engine.timelapse.trace.Sharing;
import dev.fairlead.verify.engine.timelapse.trace.Tree;
import dev.fairlead.verify.load.replay.TraceTable;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.SchedulingEngine;
import dev.fairlead.work.placement.Snapshot;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The recommendation services of Alibaba (2025), placed once: one elastic job for the equal
 * instances of a service, with its limit of instances on one node. The trace has no machines: nodes
 * have 128 cores, 1 TiB and 8 or no GPUs, a quarter more than the requests need. Disk and RDMA are
 * ignored.
 */
public final class Dlrm {
  private static final String FOLDER = "alibaba-gpu-v2025-dlrm";
  private static final int CORES = 128;
  private static final int MIB = 1 << 20;
  private static final int GPUS = 8;
  private static final double ROOM = 1.25;

  private final Map<Kind, Integer> kinds = new TreeMap<>();

  /** Equal instances. Maximum number on one node, -1 for any number. */
  private record Kind(String app, String role, int gpus, long cpuMilli, long memoryMiB, int most)
      implements Comparable<Kind> {
    @Override
    public int compareTo(Kind other) {
      return toString().compareTo(other.toString());
    }
  }

  private record Caps(long most, long kept) {}

  private Dlrm(Path file) {
    new TraceTable(file).rows(row -> kinds.merge(kind(row), 1, Integer::sum));
    if (kinds.isEmpty()) {
      throw new BadInput(file + ": expected at least one row");
    }
  }

  /** The figures as lines. */
  public static List<String> place(ReplayPlan.Files files) {
    return new Dlrm(files.jobs(FOLDER, "disaggregated_DLRM_trace.csv.gz")).placed();
  }

  private static Kind kind(TraceTable.Row row) {
    return new Kind(
        row.field("app_name", "a name", Fields::text),
        row.field("role", "a role", Fields::text),
        row.field("gpu_request", "a number of GPUs, 0 to 8", t -> Fields.within(t, 0, GPUS)),
        row.field("cpu_request", "cores, 0 or more", t -> Fields.parts(t, 1000)),
        row.field("memory_request", "GiB, 0 or more", t -> Fields.parts(t, 1024)),
        row.field("max_instance_per_node", "-1 or more", t -> Fields.within(t, -1, 1_000_000)));
  }

  private List<String> placed() {
    List<Node> nodes = nodes();
    List<PendingJob> pending = new ArrayList<>();
    Map<JobId, Kind> kindOf = new TreeMap<>();
    Tree tree = Tree.of(new TreeMap<>(Map.of("all", nodes)), Sharing.PRIVATE);
    kinds.forEach((kind, count) -> {
      PendingJob row =
          Rows.pending(kind.app, pending.size(), spec(kind, count), tree.queue("all"), Rows.at(0));
      pending.add(row);
      kindOf.put(row.job().id(), kind);
    });
    World world =
        World.at(Rows.at(0))
            .clusters(List.of(Hardware.cluster("dlrm")))
            .nodes(nodes)
            .quotaNodes(tree.nodes())
            .pending(pending)
            .build();
    CoreTime time = new CoreTime();
    time.go();
    Plan plan = new SchedulingEngine().plan(new Snapshot(world, List.of(), Long.MAX_VALUE));
    time.stop();
    return report(plan, nodes, kindOf, time.nanos());
  }

  private List<String> report(Plan plan, List<Node> nodes, Map<JobId, Kind> kindOf, long nanos) {
    List<String> lines = new ArrayList<>();
    int asked = kinds.values().stream().mapToInt(Integer::intValue).sum();
    long placed = places(plan).stream().mapToLong(p -> p.members().size()).sum();
    lines.add(
        String.format(
            Locale.ROOT,
            "dlrm: %,d of %,d instances of %,d kinds placed on %,d nodes in one plan of %.2f s of"
                + " one core",
            placed,
            asked,
            kinds.size(),
            nodes.size(),
            nanos / 1e9));
    for (boolean gpu : List.of(true, false)) {
      lines.add(filled(plan, nodes.stream().filter(n -> n.gpus().isEmpty() != gpu).toList(), gpu));
    }
    Caps caps = caps(plan, kindOf);
    lines.add("  caps of instances per node: %,d, kept %,d".formatted(caps.most, caps.kept));
    return lines;
  }

  private static String filled(Plan plan, List<Node> nodes, boolean gpu) {
    Map<String, long[]> used = new TreeMap<>();
    nodes.forEach(n -> used.put(n.name(), new long[3]));
    for (Decision.Place place : places(plan)) {
      place.members().stream()
          .filter(m -> used.containsKey(m.nodeName()))
          .forEach(m -> {
            long[] sum = used.computeIfAbsent(m.nodeName(), n -> new long[3]);
            sum[0] += m.request().cpuMilli();
            sum[1] += m.request().memoryMiB();
            sum[2] += m.request().gpuMilli();
          });
    }
    long busy = used.values().stream().filter(u -> u[0] > 0).count();
    return String.format(
        Locale.ROOT,
        "  %s nodes: %,d of %,d in use, these with %.1f %% of cores, %.1f %% of memory, %.1f %% of"
            + " GPUs",
        gpu ? "GPU" : "CPU",
        busy,
        nodes.size(),
        share(used, 0, busy * CORES * 1000.0),
        share(used, 1, busy * (double) MIB),
        gpu ? share(used, 2, busy * GPUS * 1000.0) : 0);
  }

  private static double share(Map<String, long[]> used, int of, double all) {
    return all == 0 ? 0 : 100 * used.values().stream().mapToLong(u -> u[of]).sum() / all;
  }

  private static Caps caps(Plan plan, Map<JobId, Kind> kindOf) {
    long all = 0;
    long kept = 0;
    for (Decision.Place place : places(plan)) {
      Kind kind = kindOf.getOrDefault(place.job(), new Kind("", "", 0, 0, 0, -1));
      if (kind.most > 0) {
        Map<String, Long> perNode =
            place.members().stream()
                .collect(Collectors.groupingBy(m -> m.nodeName(), Collectors.counting()));
        all += perNode.size();
        kept += perNode.values().stream().filter(n -> n <= kind.most).count();
      }
    }
    return new Caps(all, kept);
  }

  private static List<Decision.Place> places(Plan plan) {
    return plan.decisions().stream()
        .filter(Decision.Place.class::isInstance)
        .map(Decision.Place.class::cast)
        .toList();
  }

  private static JobSpec spec(Kind kind, int count) {
    GpuRequest gpu = kind.gpus == 0 ? GpuRequest.NONE : GpuRequest.whole(kind.gpus);
    PlacementSpec.Spread spread =
        kind.most > 0 ? new PlacementSpec.Spread("host", kind.most) : null;
    PlacementSpec placement = PlacementSpec.ANYWHERE.with().spread(spread).build();
    return Rows.spec(Rows.role(1, count, gpu, kind.cpuMilli, kind.memoryMiB), placement, "all");
  }

  private List<Node> nodes() {
    double gpuNodes = 0;
    double cpuNodes = 0;
    for (Map.Entry<Kind, Integer> kind : kinds.entrySet()) {
      Kind k = kind.getKey();
      double byCpu = Math.max(k.cpuMilli / (CORES * 1000.0), k.memoryMiB / (double) MIB);
      if (k.gpus > 0) {
        gpuNodes += kind.getValue() * Math.max(byCpu, k.gpus / (double) GPUS);
      } else {
        cpuNodes += kind.getValue() * byCpu;
      }
    }
    List<Node> nodes = new ArrayList<>();
    add(nodes, (int) Math.ceil(gpuNodes * ROOM), GPUS);
    add(nodes, (int) Math.ceil(cpuNodes * ROOM), 0);
    return nodes;
  }

  private static void add(List<Node> nodes, int count, int gpus) {
    for (int i = 0; i < count; i++) {
      String name = String.format(Locale.ROOT, "%s%05d", gpus > 0 ? "gpu" : "cpu", i);
      String model = gpus > 0 ? "GPU" : Flavor.CPU;
      nodes.add(Hardware.node(name, nodes.size(), model, gpus, CORES * 1000L, MIB, "r" + i / 16));
    }
  }
}
