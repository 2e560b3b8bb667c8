package dev.fairlead.verify.engine.cases;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.MigResource;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.verify.engine.cases.form.BadCase;
import dev.fairlead.verify.engine.cases.form.CaseJobs;
import dev.fairlead.verify.engine.cases.form.CaseNodes;
import dev.fairlead.verify.engine.cases.form.CaseWorld;
import dev.fairlead.verify.engine.cases.form.Missing;
import dev.fairlead.verify.engine.cases.form.NodeRules;
import dev.fairlead.verify.engine.cases.form.NotExpressible;
import dev.fairlead.verify.engine.cases.form.Value;
import dev.fairlead.verify.engine.cases.kueue.KueueNodes;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/** The snapshot of a case of the {@code kai-*} families. */
final class KaiCase {
  static final String NODE_LABEL = "kubernetes.io/hostname";
  private static final double MANY_CORES = 20_000;
  private static final double MUCH_MEMORY = 20e9;
  private static final int MANY_TASKS = 500;
  private static final int DEVICE_MIB = 100;
  private static final int LONG_AGO = 100_000;

  /** Cases age by a minute where jobs of a cluster age by hours. */
  private static final double AGE = 1000;

  private final Value scenario;
  private final String model;
  private final ClusterSettings settings;
  private final Map<String, Node> nodes = new TreeMap<>();
  private final KaiTree tree;
  private final Map<String, KaiJob> jobs = new LinkedHashMap<>();
  private final Map<String, JobId> ids = new HashMap<>();
  private final Map<String, SortedMap<String, Integer>> slots = new HashMap<>();
  private final Map<String, long[]> free = new HashMap<>();

  KaiCase(Value scenario, PreemptionRules rules, ClusterSettings.Consolidation consolidation) {
    this.scenario = scenario;
    Value claims = scenario.get("cluster").get("device_claims");
    if (!claims.list().isEmpty()) {
      throw new NotExpressible(Missing.DEVICE_CLAIMS);
    }
    onlyCountedResources();
    model = model();
    settings =
        ClusterSettings.DEFAULT
            .withScoring(
                spreads() ? ClusterSettings.Scoring.SPREAD : ClusterSettings.Scoring.BEST_FIT)
            .withConsolidation(consolidation);
    List<Value> rows = new ArrayList<>(scenario.get("cluster").get("nodes").list());
    rows.sort(Comparator.comparing(n -> n.get("name").text()));
    rows.forEach(row -> nodes.put(row.get("name").text(), node(row)));
    scenario
        .get("jobs")
        .list()
        .forEach(row -> jobs.put(row.get("name").text(), new KaiJob(row, model)));
    tree = new KaiTree(scenario, rules, model, fleet());
    oneFlavorPerQuota();
  }

  private void onlyCountedResources() {
    List<String> counted = List.of(ResourceNames.CPU, ResourceNames.MEMORY, ResourceNames.GPU);
    for (Value queue : scenario.get("queues").list()) {
      for (Value quota : queue.get("quotas").list()) {
        counted(counted, quota.get("resource").text());
      }
    }
    for (Value job : scenario.get("jobs").list()) {
      for (Value task : job.get("tasks").list()) {
        task.get("requests").fields().keySet().forEach(r -> counted(counted, r));
        if (task.get("mig").fields().size() > 1) {
          throw new NotExpressible(Missing.SEVERAL_PROFILES);
        }
      }
    }
  }

  private static void counted(List<String> all, String resource) {
    if (!all.contains(resource)) {
      throw new NotExpressible(Missing.MANY_RESOURCES);
    }
  }

  private String model() {
    boolean small =
        scenario.get("cluster").get("nodes").list().stream()
            .anyMatch(n ->
                n.get("mig_slots").fields().keySet().stream().anyMatch(s -> s.endsWith(".5gb")));
    boolean mig =
        scenario.get("cluster").get("nodes").list().stream()
            .anyMatch(n -> !n.get("mig_slots").fields().isEmpty());
    return small ? "A100-40GB" : mig ? "A100-80GB" : "GPU";
  }

  private boolean spreads() {
    Value placement = scenario.get("settings").get("placement");
    boolean byKind = placement.present() && placement.node() != null && placement.node().isObject();
    return (byKind ? placement.get("gpu").text("pack") : placement.text("pack")).equals("spread");
  }

  private Map<String, Long> fleet() {
    ResourceVector sum = ResourceVector.ZERO;
    for (Node node : nodes.values()) {
      sum = sum.plus(node.allocatable());
    }
    long slices = 0;
    for (Map.Entry<String, Long> each : sum.extended().entrySet()) {
      slices += each.getValue() * 1000;
    }
    return Map.of(
        ResourceNames.GPU,
        sum.gpuMilli() + slices,
        ResourceNames.CPU,
        sum.cpuMilli(),
        ResourceNames.MEMORY,
        sum.memoryMiB());
  }

  /** Members with and without GPUs count in different flavors. */
  private void oneFlavorPerQuota() {
    if (tree.bounds(ResourceNames.CPU) || tree.bounds(ResourceNames.MEMORY)) {
      boolean plain = false;
      boolean gpu = false;
      for (KaiJob job : jobs.values()) {
        for (List<Value> tasks : job.roles().values()) {
          boolean asks = job.gpu(tasks.getFirst()).kind() != GpuRequest.Kind.NONE;
          gpu |= asks && KaiJob.cpu(tasks.getFirst()) + KaiJob.memory(tasks.getFirst()) > 0;
          plain |= !asks;
        }
      }
      if (plain && gpu) {
        throw new NotExpressible(Missing.QUOTA_OVER_FLAVORS);
      }
    }
  }

  private Node node(Value row) {
    if (row.get("mig_mode").text("").equals("single")) {
      throw new NotExpressible(Missing.MIG_SINGLE);
    }
    SortedMap<String, Long> slices = new TreeMap<>();
    row.get("mig_slots")
        .fields()
        .forEach((name, count) ->
            slices.put(
                MigResource.of(name.substring(name.indexOf("mig-") + 4)), (long) count.count(0)));
    int gpus = row.get("gpus").count(0);
    CaseNodes.Offer offer =
        new CaseNodes.Offer(
            gpus > 0 || !slices.isEmpty() ? model : Flavor.CPU,
            gpus,
            row.get("gpu_memory_mib").count(DEVICE_MIB),
            KaiTree.units(ResourceNames.CPU, row.get("cpu").number(MANY_CORES)),
            KaiTree.units(ResourceNames.MEMORY, row.get("memory").number(MUCH_MEMORY)),
            row.get("max_tasks").count(MANY_TASKS),
            slices);
    SortedMap<String, String> labels = NodeRules.labels(row.get("labels"));
    SortedMap<String, String> topology = new TreeMap<>();
    for (Value each : scenario.get("cluster").get("topologies").list()) {
      for (String level : each.get("levels").texts()) {
        if (labels.containsKey(level)) {
          topology.put(KueueNodes.level(level), labels.get(level));
        }
      }
    }
    labels.put(NODE_LABEL, row.get("name").text());
    NodeState state =
        !row.get("ready").flag(true)
            ? NodeState.UNREACHABLE
            : row.get("cordoned").flag(false) ? NodeState.CORDONED : NodeState.ACTIVE;
    return CaseNodes.node(
        nodes.size() + 1,
        row.get("name").text(),
        offer,
        new CaseNodes.Site(state, labels, List.of(), topology),
        ResourceVector.ZERO);
  }

  private Cluster cluster() {
    List<String> levels = new ArrayList<>();
    for (Value each : scenario.get("cluster").get("topologies").list()) {
      each.get("levels").texts().forEach(l -> levels.add(KueueNodes.level(l)));
    }
    return CaseNodes.cluster(levels.stream().distinct().toList(), settings);
  }

  KaiJob job(String name) {
    return jobs.getOrDefault(name, new KaiJob(scenario.get("no job"), model));
  }

  /** Returns whether tasks stop when the case begins. */
  boolean stopsAny() {
    return scenario.get("jobs").list().stream()
        .flatMap(job -> job.get("tasks").list().stream())
        .anyMatch(task -> KaiJob.state(task).equals("STOPPING"));
  }

  Map<String, JobId> ids() {
    return ids;
  }

  CaseWorld course() {
    CaseWorld course = new CaseWorld(cluster(), List.copyOf(nodes.values()), tree.nodes(), true);
    List<Value> rows = new ArrayList<>(scenario.get("jobs").list());
    rows.sort(Comparator.comparing(row -> row.get("name").text()));
    for (Value row : rows) {
      KaiJob kai = job(row.get("name").text());
      JobSpec spec = kai.roles().isEmpty() ? null : kai.spec();
      if (spec != null) {
        add(course, row, kai, spec);
      }
    }
    return course;
  }

  private void add(CaseWorld course, Value row, KaiJob kai, JobSpec spec) {
    int number = ids.size() + 1;
    Job job =
        CaseJobs.job(
            number,
            tree.queue(row.get("queue").text("")),
            row.get("name").text(),
            "user",
            spec,
            new CaseJobs.Rank(row.get("priority").whole(0), row.get("age_s").number(0) * AGE));
    ids.put(row.get("name").text(), job.id());
    List<Member> running = new ArrayList<>();
    List<Member> reserved = new ArrayList<>();
    int stopping = 0;
    for (RoleSpec role : spec.roles()) {
      int here = 0;
      for (Value task : kai.roles().getOrDefault(role.name(), List.of())) {
        String state = KaiJob.state(task);
        if (!state.equals("PENDING")) {
          Member member = member(kai, role.name(), here++, task);
          boolean stops = state.equals("STOPPING");
          stopping += stops ? 1 : 0;
          (state.equals("RESERVED") ? reserved : running)
              .add(stops ? member.leaving(CaseJobs.NOW) : member);
        }
      }
      boolean part = here > 0 && here < role.minCount();
      if (part || here == 0 && !running.isEmpty()) {
        throw new NotExpressible(Missing.GANG_IN_PART);
      }
    }
    if (!running.isEmpty()
        && running.getFirst().role().equals(spec.roles().getLast().name())
        && spec.roles().size() > 1) {
      throw new NotExpressible(Missing.GANG_IN_PART);
    }
    if (running.isEmpty()) {
      course.waits(job);
    } else {
      AttemptId id = new AttemptId(new UUID(5, number));
      double seconds = row.get("started_ago_s").number(LONG_AGO) * AGE;
      boolean all = stopping == running.size();
      List<Member> members = all ? running.stream().map(Member::staying).toList() : running;
      course.runs(job, id, seconds, members);
      if (all) {
        course.stops(id, row.get("being_deleted").flag(false));
      }
    }
    if (!reserved.isEmpty()) {
      course.keep(
          new Reservation(
              job.id(),
              0,
              Reservation.Kind.PREEMPTION,
              cluster().id(),
              reserved,
              List.of(),
              CaseJobs.NOW,
              null,
              CaseJobs.NOW.plusSeconds(LONG_AGO)));
    }
  }

  private Member member(KaiJob kai, String role, int index, Value task) {
    Node node = nodes.get(task.get("node").text());
    if (node == null) {
      throw task.get("node").bad("the name of a node");
    }
    GpuRequest gpu = kai.gpu(task);
    long milli = gpu.milliOn(node.gpuMemoryMiB());
    SortedMap<String, Long> extended = Collections.emptySortedMap();
    List<GpuShare> gpus = new ArrayList<>();
    if (gpu.kind() == GpuRequest.Kind.MIG) {
      extended = new TreeMap<>();
      extended.put(MigResource.of(String.valueOf(gpu.migProfile())), (long) gpu.count());
    } else if (gpu.kind() != GpuRequest.Kind.NONE) {
      gpus.addAll(gpus(node, gpu, milli, task.get("gpu_slots").texts()));
    }
    Flavor flavor =
        new Flavor(
            gpu.kind() == GpuRequest.Kind.NONE ? Flavor.CPU : node.gpuModel(),
            CapacityType.RESERVED);
    ResourceVector request =
        new ResourceVector(KaiJob.cpu(task), KaiJob.memory(task), milli, 1, extended);
    return Member.planned(role, index, node.id(), node.name(), flavor, request, gpus);
  }

  /** The devices that the labels name, otherwise the first devices with free capacity. */
  private List<GpuShare> gpus(Node node, GpuRequest gpu, long milli, List<String> labels) {
    long[] left =
        free.computeIfAbsent(
            node.name(),
            n -> {
              long[] all = new long[node.gpus().size()];
              java.util.Arrays.fill(all, Gpu.WHOLE_MILLI);
              return all;
            });
    SortedMap<String, Integer> named = slots.computeIfAbsent(node.name(), n -> new TreeMap<>());
    int devices = gpu.kind() == GpuRequest.Kind.WHOLE ? gpu.count() : 1;
    long each = gpu.kind() == GpuRequest.Kind.WHOLE ? Gpu.WHOLE_MILLI : milli;
    List<GpuShare> shares = new ArrayList<>();
    for (int i = 0; i < devices; i++) {
      Integer known = i < labels.size() ? named.get(labels.get(i)) : null;
      int at = known == null ? first(left, each, labels.size() > i, named) : known;
      if (at < 0) {
        throw new BadCase("node " + node.name() + " has too few GPUs for the tasks that run there");
      }
      left[at] -= each;
      if (i < labels.size()) {
        named.put(labels.get(i), at);
      }
      shares.add(new GpuShare(at, node.gpus().get(at).serial(), (int) each));
    }
    return shares;
  }

  /** Returns the first device with room, -1 if none. A new label needs a device without a label. */
  private static int first(
      long[] left, long each, boolean labelled, SortedMap<String, Integer> named) {
    for (int at = 0; at < left.length; at++) {
      boolean other = labelled && named.containsValue(at);
      if (left[at] >= each && !other) {
        return at;
      }
    }
    return -1;
  }
}
