package dev.fairlead.work.workload.slurm;

import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReportBuilder;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.resources.ResourceVector;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** Reads Slurm nodes and partitions. */
final class SlurmNodes {
  /** Label of a node for each of its active features. */
  static final String FEATURE = "feature.slurm.fairlead.dev/";

  /** Label of a node for each of its partitions. */
  static final String PARTITION = "partition.slurm.fairlead.dev/";

  private static final long MILLI = 1000;

  /** Jobs of a node, more than any node runs. */
  private static final long JOBS = 1000;

  /** GPUs of a node, more than any node has. */
  private static final long GPUS_OF_NODE = 1024;

  private static final Set<String> READY = Set.of("idle", "mixed", "allocated");

  /** Flags of a node that runs its jobs to their end and accepts no others. */
  private static final Set<String> CLOSED =
      Set.of("DRAIN", "MAINTENANCE", "RESERVED", "REBOOT_REQUESTED", "POWERING_DOWN", "PLANNED");

  /** Flags of a node that does not answer slurmctld. */
  private static final Set<String> SILENT =
      Set.of("NOT_RESPONDING", "INVALID", "INVALID_REG", "FAIL", "POWERED_DOWN", "POWERING_UP");

  /** One kind of GPU in {@code gres}, such as {@code gpu:h100:8(S:0-1)} or {@code gpu:8}. */
  private static final Pattern GPUS = Pattern.compile("gpu(?::([A-Za-z0-9_.-]+?))?:([0-9]{1,9})");

  private static final Pattern LABEL =
      Pattern.compile("[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?");

  private SlurmNodes() {}

  /** Number of GPUs in a text of generic resources. */
  static long count(String gres) {
    Matcher matcher = GPUS.matcher(gres);
    long count = 0;
    while (matcher.find()) {
      count += Long.parseLong(matcher.group(2));
    }
    return count;
  }

  /** Type of the GPUs as configured, empty if they have none. Fairlead writes it in capitals. */
  static String type(String gres) {
    Matcher matcher = GPUS.matcher(gres);
    String type = matcher.find() ? matcher.group(1) : null;
    return type == null ? "" : type;
  }

  /** The nodes, with the use of jobs that are not in the list as foreign. */
  static List<NodeReport> reports(JsonNode nodes, Collection<SlurmJob> own) {
    Map<String, ResourceVector> used =
        own.stream()
            .filter(job -> !job.over())
            .flatMap(job -> job.nodes().stream().map(node -> Map.entry(node, share(job))))
            .collect(
                Collectors.toMap(
                    Map.Entry::getKey, Map.Entry::getValue, ResourceVector::plus, TreeMap::new));
    return nodes
        .valueStream()
        .map(node ->
            report(node, used.getOrDefault(node.path("name").asString(""), ResourceVector.ZERO)))
        .toList();
  }

  private static ResourceVector share(SlurmJob job) {
    int nodes = Math.max(1, job.nodes().size());
    return ResourceVector.of(job.cpus() / nodes * MILLI, job.memoryMiB(), job.gpus() * MILLI, 1);
  }

  private static NodeReport report(JsonNode node, ResourceVector ours) {
    String name = node.path("name").asString("");
    String gres = node.path("gres").asString("");
    int gpus = (int) Math.min(GPUS_OF_NODE, count(gres));
    Set<String> flags =
        node.path("state_flags")
            .valueStream()
            .map(flag -> flag.asString(""))
            .collect(Collectors.toSet());
    ResourceVector all =
        ResourceVector.of(
            node.path("cpus").asLong(0) * MILLI,
            node.path("real_memory").asLong(0),
            gpus * MILLI,
            JOBS);
    ResourceVector taken =
        ResourceVector.of(
            node.path("alloc_cpus").asLong(0) * MILLI,
            node.path("alloc_memory").asLong(0),
            count(node.path("gres_used").asString("")) * MILLI,
            0);
    return NodeReportBuilder.builder()
        .name(name)
        .ready(
            READY.contains(node.path("state").asString("").toLowerCase(Locale.ROOT))
                && flags.stream().noneMatch(SILENT::contains))
        .cordoned(flags.stream().anyMatch(CLOSED::contains))
        .ourCordon(false)
        .machineGone(false)
        .gpuModel(gpus == 0 ? "" : model(gres))
        .gpuMemoryMiB(0)
        .allocatable(all)
        .foreign(foreign(taken, ours))
        .labels(labels(node))
        .taints(List.of())
        .topology(new TreeMap<>())
        .bootId("")
        .gpus(
            IntStream.range(0, gpus)
                .mapToObj(i -> new Gpu(i, name + "/" + i, GpuState.HEALTHY, 0))
                .toList())
        .faults(List.of())
        .labelsAndTaints(NodeLabelsAndTaints.NONE)
        .build();
  }

  private static ResourceVector foreign(ResourceVector taken, ResourceVector ours) {
    return ResourceVector.of(
        Math.max(0, taken.cpuMilli() - ours.cpuMilli()),
        Math.max(0, taken.memoryMiB() - ours.memoryMiB()),
        Math.max(0, taken.gpuMilli() - ours.gpuMilli()),
        0);
  }

  private static String model(String gres) {
    String type = type(gres);
    return type.isEmpty() ? "GPU" : type.toUpperCase(Locale.ROOT);
  }

  private static SortedMap<String, String> labels(JsonNode node) {
    Stream<String> features =
        Stream.of(node.path("active_features").asString("").split(",", -1))
            .filter(LABEL.asMatchPredicate())
            .map(FEATURE::concat);
    Stream<String> partitions =
        partitions(node).filter(LABEL.asMatchPredicate()).map(PARTITION::concat);
    return Stream.concat(features, partitions)
        .collect(
            Collectors.toMap(
                Function.identity(), label -> "true", (one, other) -> one, TreeMap::new));
  }

  private static Stream<String> partitions(JsonNode node) {
    return node.path("partitions").valueStream().map(partition -> partition.asString(""));
  }

  /** Names of nodes by partition: the default partition first, then by name. Only open ones. */
  static Map<String, Set<String>> partitions(JsonNode partitions, JsonNode nodes) {
    Map<String, Set<String>> members = new LinkedHashMap<>();
    partitions
        .valueStream()
        .filter(partition -> partition.path("state").asString("UP").equals("UP"))
        .sorted(
            Comparator.comparing((JsonNode partition) ->
                    partition
                        .path("flags")
                        .valueStream()
                        .noneMatch(f -> f.asString("").equals("default")))
                .thenComparing(partition -> partition.path("name").asString("")))
        .forEach(partition -> {
          String name = partition.path("name").asString("");
          members.put(
              name,
              nodes
                  .valueStream()
                  .filter(node -> partitions(node).anyMatch(name::equals))
                  .map(node -> node.path("name").asString(""))
                  .collect(Collectors.toCollection(TreeSet::new)));
        });
    return members;
  }
}
