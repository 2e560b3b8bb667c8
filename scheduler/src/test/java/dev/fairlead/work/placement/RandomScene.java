package dev.fairlead.work.placement;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.PlaceFailure;
import dev.fairlead.work.placement.laws.Changed;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/** Small worlds drawn from a seed: every feature with some chance, so that neighbours meet. */
public final class RandomScene {
  private static final List<String> MODELS = List.of("H100", "H200", "L4");
  private static final List<String> PROFILES =
      List.of("1g.10gb", "1g.10gb+me", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb");
  private static final long ENOUGH = 100_000_000;
  private final long seed;
  private final Random random;
  private final boolean crowded;
  private final boolean sliced;
  private final Scene scene = new Scene();
  private final List<QuotaNodeId> queues = new ArrayList<>();
  private final List<String> queueNames = new ArrayList<>();

  private RandomScene(long seed, boolean crowded, boolean sliced) {
    this.seed = seed;
    random = new Random(seed);
    this.crowded = crowded;
    this.sliced = sliced;
  }

  /**
   * A world with running and waiting jobs: some were planned and started before the others were
   * submitted.
   *
   * @param mostJobs at least 1
   */
  public static World world(long seed, int mostJobs) {
    return draw(new RandomScene(seed, false, false), mostJobs);
  }

  /**
   * One small cluster of one model that is full of jobs of low priority, and new jobs of higher
   * priority.
   */
  public static World crowded(long seed) {
    return draw(new RandomScene(seed, true, false), 30);
  }

  /**
   * Like {@link #world}, on clusters that partition GPUs, with half of the jobs requesting slices.
   */
  public static World sliced(long seed, int mostJobs) {
    return draw(new RandomScene(seed, false, true), mostJobs);
  }

  /** Like {@link #world}, before any job was planned. */
  public static World fresh(long seed, int mostJobs) {
    RandomScene drawn = new RandomScene(seed, false, false);
    drawn.describe(mostJobs);
    return drawn.scene.world();
  }

  /** Draws everything except the events. Returns the number of early jobs. */
  private int describe(int mostJobs) {
    quota();
    int clusters = crowded ? 1 : 1 + random.nextInt(3);
    for (int i = 0; i < clusters; i++) {
      cluster("c" + i);
    }
    int jobs = 1 + random.nextInt(mostJobs);
    int early = crowded ? jobs * 2 / 3 : random.nextInt(jobs);
    for (int i = 0; i < jobs; i++) {
      job("j" + i, i < early);
    }
    times();
    return early;
  }

  private static World draw(RandomScene drawn, int mostJobs) {
    int early = drawn.describe(mostJobs);
    World world = drawn.underWay(early);
    // a separate random generator, so that worlds without failures do not change
    return drawn.new Failures().in(world);
  }

  /** Some nodes failed some jobs recently, in four of ten worlds. */
  private final class Failures {
    private final Random lots = new Random(seed + 77);

    World in(World world) {
      List<PlaceFailure> failures = new ArrayList<>();
      List<Node> nodes = world.nodes().stream().filter(n -> !kept(world, n)).toList();
      int most = lots.nextInt(10) < 4 && !nodes.isEmpty() ? 1 + lots.nextInt(8) : 0;
      for (int i = 0; i < most; i++) {
        Node node = nodes.get(lots.nextInt(nodes.size()));
        JobId job =
            world.pending().isEmpty() || lots.nextInt(3) == 0
                ? new JobId(new UUID(7, lots.nextInt(3)))
                : world.pending().get(lots.nextInt(world.pending().size())).job().id();
        List<FailureCause> causes = List.copyOf(PlaceFailure.CAUSES);
        FailureCause cause = causes.get(lots.nextInt(causes.size()));
        Instant at = world.asOf().minusSeconds(lots.nextInt(lots.nextBoolean() ? 30 : 240));
        failures.add(new PlaceFailure(job, 0, node.id(), cause, at, at, null, null));
      }
      return Changed.failures(world, failures);
    }

    /** A reservation on a node that fails in the meantime is lost, regardless of any law. */
    private static boolean kept(World world, Node node) {
      return world.reservations().stream()
          .flatMap(r -> r.members().stream())
          .anyMatch(m -> m.node().equals(node.id()));
    }
  }

  /** Some clusters are to be used for a time only, and some jobs have a deadline. */
  private void times() {
    for (int i = 0; i < scene.clusters.size(); i++) {
      if (chance(0.2)) {
        Duration from = chance(0.3) ? Duration.ofMinutes(random.nextInt(180)) : null;
        scene.window("c" + i, from, Duration.ofMinutes(180 + random.nextInt(300)));
      }
    }
    for (JobBuilder job : scene.jobs) {
      if (chance(0.1)) {
        job.deadline(Scene.NOW.plus(Duration.ofMinutes(random.nextInt(600))));
      }
    }
  }

  /** Three waves: some jobs run, and some were planned later and may have evicted others. */
  private World underWay(int early) {
    World all = scene.world();
    int next = early + random.nextInt(all.pending().size() - early);
    World first = started(with(all, all.asOf(), all.pending().subList(0, early)));
    World second = started(joined(first, all.pending().subList(early, next)));
    return joined(second, all.pending().subList(next, all.pending().size()));
  }

  private World joined(World world, List<PendingJob> more) {
    List<PendingJob> pending = new ArrayList<>(world.pending());
    pending.addAll(more);
    return with(world, world.asOf().plusSeconds(random.nextInt(7200)), pending);
  }

  static World started(World world) {
    return After.of(world, new SchedulingEngine().plan(new Snapshot(world, List.of(), ENOUGH)));
  }

  private static World with(World w, Instant asOf, List<PendingJob> pending) {
    return w.toBuilder().asOf(asOf).pending(pending).build();
  }

  private boolean chance(double p) {
    return random.nextDouble() < p;
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private void quota() {
    queues.add(scene.quotas.getFirst().id());
    queueNames.add("default");
    QuotaNodeId root = scene.group("root", chance(0.5) ? limits(40) : new QuotaLimit[0]);
    for (int i = 0; i < 3; i++) {
      QueueSettings settings = chance(0.3) ? Scene.strict() : QueueSettings.DEFAULT;
      queueNames.add("q" + i);
      queues.add(
          scene.queue(
              "q" + i, root, settings, one(List.of(0L, 1000L, 2000L)), limits(random.nextInt(40))));
      if (crowded || chance(0.5)) {
        scene.preempts(queues.getLast(), rules());
      }
    }
  }

  private List<String> models() {
    return crowded ? MODELS.subList(0, 1) : MODELS;
  }

  private PreemptionRules rules() {
    return new PreemptionRules(
        crowded
            ? PreemptionRules.WithinQueue.LOWER_PRIORITY
            : one(List.of(PreemptionRules.WithinQueue.values())),
        one(List.of(PreemptionRules.Reclaim.values())),
        chance(0.3));
  }

  private QuotaLimit[] limits(int gpus) {
    List<QuotaLimit> limits = new ArrayList<>();
    List<String> models = new ArrayList<>(MODELS);
    models.add(Flavor.CPU);
    for (String model : models) {
      for (CapacityType type : List.of(CapacityType.RESERVED, CapacityType.ON_DEMAND)) {
        Flavor flavor = new Flavor(model, type);
        Long borrowing = chance(0.5) ? Long.valueOf(8000) : null;
        Long lending = chance(0.3) ? Long.valueOf(4000) : null;
        limits.add(new QuotaLimit(flavor, "gpu", gpus * 1000L, borrowing, lending));
        limits.add(new QuotaLimit(flavor, "cpu", 200_000L, null, null));
        limits.add(new QuotaLimit(flavor, "memory", 4_000_000L, null, null));
        limits.add(new QuotaLimit(flavor, "pods", 100L, null, null));
      }
    }
    return limits.toArray(QuotaLimit[]::new);
  }

  private void cluster(String name) {
    NodeBuilder nodes =
        scene.cluster(
            name,
            chance(0.85) ? ClusterState.ACTIVE : ClusterState.DEGRADED,
            chance(0.7) ? CapacityType.RESERVED : CapacityType.ON_DEMAND,
            chance(0.6));
    if (sliced) {
      scene.cuts(name);
    }
    int blocks = crowded ? 1 : 1 + random.nextInt(3);
    for (int block = 0; block < blocks; block++) {
      for (int rack = 0; rack < 1 + random.nextInt(2); rack++) {
        nodes.block("b" + block).rack("r" + rack);
        int gpus = crowded ? 8 : one(List.of(0, 4, 8));
        nodes
            .used(gpus == 0 || crowded ? 0 : random.nextInt(gpus + 1) * random.nextInt(2))
            .foreignCores(random.nextInt(64))
            .state(chance(0.9) ? NodeState.ACTIVE : NodeState.CORDONED)
            .nodes(1 + random.nextInt(4), gpus, gpus == 0 ? Flavor.CPU : one(models()));
      }
    }
  }

  private void job(String name, boolean early) {
    int queue = random.nextInt(queues.size());
    JobBuilder job =
        scene
            .job(name)
            .queue(queueNames.get(queue), queues.get(queue))
            .priority(priority(early))
            .age(random.nextInt(1000))
            .cpu(1 + random.nextInt(12));
    if (chance(0.2)) {
      job.minRuntime(Duration.ofMinutes(random.nextInt(60)));
    }
    members(job);
    if (chance(0.2)) {
      job.thenRole("other").cpu(2);
      members(job);
    }
    if (chance(0.25)) {
      job.inOne(one(Scene.LEVELS));
    } else if (chance(0.2)) {
      job.preferring(one(Scene.LEVELS));
    }
    if (chance(0.1)) {
      job.segment(1 + random.nextInt(3), one(Scene.LEVELS));
    } else if (chance(0.1)) {
      job.spread(1 + random.nextInt(3), one(Scene.LEVELS));
    }
    if (chance(0.15)) {
      job.on("c0");
    }
    if (chance(0.15)) {
      job.array(1 + random.nextInt(6));
    }
  }

  private static GpuRequest slices(int count, String profile) {
    return new GpuRequest(GpuRequest.Kind.MIG, count, 0, 0, profile, List.of(), 0);
  }

  private PriorityClass priority(boolean early) {
    if (crowded) {
      return early ? PriorityClass.LOW : one(List.of(PriorityClass.NORMAL, PriorityClass.HIGH));
    }
    return one(List.of(PriorityClass.LOW, PriorityClass.NORMAL, PriorityClass.HIGH));
  }

  private void members(JobBuilder job) {
    int members = chance(0.5) ? 1 : 1 + random.nextInt(5);
    job.elastic(chance(0.2) ? 1 : members, members);
    if (sliced && chance(0.5)) {
      job.gpu(slices(1 + random.nextInt(3), one(PROFILES)));
      return;
    }
    switch (random.nextInt(5)) {
      case 0 -> job.gpu(GpuRequest.NONE);
      case 1 -> job.gpu(GpuRequest.fraction(100 * (1 + random.nextInt(9))));
      case 2 -> job.gpus(1 + random.nextInt(8));
      default -> job.gpus(one(List.of(1, 2, 4, 8)), one(models()));
    }
  }
}
