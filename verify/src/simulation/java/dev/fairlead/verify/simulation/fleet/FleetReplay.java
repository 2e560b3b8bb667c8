package dev.fairlead.verify.simulation.fleet;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.service.HealthIntake;
import dev.fairlead.care.health.service.Intake;
import dev.fairlead.care.health.service.QuarantineCommands;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.PreemptionRules.Reclaim;
import dev.fairlead.fleet.quota.PreemptionRules.WithinQueue;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.verify.simulation.world.QuarantineInvariants;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A training run on a fleet whose machines break as often as published. */
public final class FleetReplay {
  private static final String CLUSTER = "fleet";
  private static final Duration FASTEST = Duration.ofMillis(200);
  private static final Duration WATCHFUL = Duration.ofSeconds(4);
  private static final Duration CALM = Duration.ofMinutes(30);
  private static final Duration BY_HAND = Duration.ofMinutes(30);
  private static final Duration SWITCHED_ON = Duration.ofMinutes(10);
  private static final int HARMLESS = 13;
  private static final int RIVALS = 48;

  private final FleetPlan plan;
  private final FleetRecord record;
  private final FleetProgram program;
  private final FleetLaws laws = new FleetLaws();
  private final FleetWorld world;
  private final MemoryStores stores;
  private final SplittableRandom chance;
  private final HealthIntake intake;
  private final QuarantineCommands operators;
  private final PriorityQueue<Due> due =
      new PriorityQueue<>(Comparator.comparing(Due::at).thenComparing(Due::number));
  private final Set<String> sick = new HashSet<>();
  private final Set<String> isolated = new HashSet<>();
  private final List<Job> gangs = new ArrayList<>();
  private List<Node> nodes = List.of();
  private int numbers;
  private Duration stride = FASTEST;

  private record Due(Instant at, int number, Runnable work) {}

  private FleetReplay(FleetPlan plan) {
    this.plan = plan;
    record = new FleetRecord(plan);
    program = new FleetProgram(plan, record);
    world =
        new FleetWorld(
            plan.seed(),
            List.of(
                new FleetWorld.Site(
                    CLUSTER,
                    List.of(new FleetPool(plan.nodes(), FleetPlan.GPUS_PER_NODE, "H100", 8, 8)),
                    CapacityType.RESERVED)),
            plan.keepsPlaces());
    stores = world.stores();
    pool(plan.keepsSpares() ? plan.spares() : 0);
    preempting();
    chance = new SplittableRandom(plan.seed());
    intake = QuarantineInvariants.intake(stores);
    operators = QuarantineInvariants.commands(stores);
  }

  static FleetRecord run(FleetPlan plan) {
    FleetReplay replay = new FleetReplay(plan);
    replay.begin();
    Instant end = replay.world.now().plus(plan.lasts());
    replay.live(end);
    replay.record.sum(replay.attempts(), end);
    replay.record.stoppedOutside(replay.stoppedOutside());
    replay.standing().stream()
        .collect(Collectors.groupingBy(Quarantine::node))
        .values()
        .forEach(ofNode -> replay.record.released(ofNode, end, false));
    return replay.record;
  }

  private void pool(int spares) {
    PoolSelector all = new PoolSelector(List.of(CLUSTER), List.of(), new TreeMap<>(), List.of());
    Spares kept = spares == 0 ? Spares.NONE : new Spares(spares, plan.nodes());
    stores
        .pools()
        .insert(
            new Pool(
                new PoolId(stores.ids().next()), "all", null, all, "", kept, PoolWindows.NONE, 1));
    int _ = stores.inventory().assign(stores.pools().pools());
  }

  /** Jobs of a higher priority evict others. */
  private void preempting() {
    QuotaNode q = world.tenancy().queue();
    PreemptionRules rules = new PreemptionRules(WithinQueue.LOWER_PRIORITY, Reclaim.NEVER, false);
    stores.quotas().update(q.with().preemption(rules).version(q.version() + 1).build());
  }

  private void begin() {
    for (int i = 0; i < 10; i++) {
      world.passTo(world.now().plus(FASTEST));
    }
    nodes = stores.inventory().nodes(null).stream().filter(node -> !node.gpus().isEmpty()).toList();
    submitGang();
    for (int i = 0; i < 100 && gang().state() != JobState.RUNNING; i++) {
      turn(world.now().plus(WATCHFUL));
    }
    for (int i = 0; i < RIVALS; i++) {
      world.submit(
          Specs.job("rival-" + i)
              .gpus(FleetPlan.GPUS_PER_NODE)
              .priority(PriorityClass.LOW)
              .annotation("sim.fairlead.dev/run-for", "2h")
              .annotation("sim.fairlead.dev/stop-after", "20s"));
    }
    nextFailure();
    nextCheckpoint();
    noise();
    if (plan.storm() > 0) {
      in(plan.lasts().dividedBy(2), this::storm);
    }
  }

  private void submitGang() {
    Specs spec =
        Specs.job("train-" + gangs.size())
            .workers(plan.gang())
            .gpus(FleetPlan.GPUS_PER_NODE)
            .priority(PriorityClass.HIGH)
            .annotation("sim.fairlead.dev/outcome", "hang")
            .annotation("sim.fairlead.dev/start-after", "2m")
            .annotation("sim.fairlead.dev/stop-after", "5s");
    if (plan.warm()) {
      spec =
          spec.annotation("sim.fairlead.dev/run-for", plan.lasts().toHours() + 1 + "h")
              .annotation(
                  "sim.fairlead.dev/members",
                  IntStream.range(0, plan.gang())
                      .mapToObj(i -> "worker-" + i)
                      .collect(Collectors.joining(",")));
    }
    if (plan.retries() > 0) {
      List<FailureCause> all = new ArrayList<>(List.of(FailureCause.values()));
      all.remove(FailureCause.CONFIGURATION);
      spec = spec.retry(plan.retries(), all.toArray(FailureCause[]::new));
    }
    if (plan.replaces() > 0) {
      spec = spec.repaired(plan.replaces());
    }
    gangs.add(world.submit(spec));
  }

  private Job gang() {
    return stores.jobs().findAll(List.of(gangs.getLast().id())).getFirst();
  }

  private List<Attempt> attempts() {
    return gangs.stream()
        .flatMap(job -> stores.jobs().attempts(job.id(), Integer.MAX_VALUE).stream())
        .toList();
  }

  /** The attempt of the gang while all members run. */
  private Optional<Attempt> running() {
    return stores.jobs().liveAttempts(gangs.getLast().id()).stream()
        .filter(attempt -> attempt.state() == AttemptState.RUNNING)
        .findFirst();
  }

  /** Attempts that were stopped for a fault without a node that had one. */
  private int stoppedOutside() {
    return (int)
        stores.jobs().everyAttempt().stream()
            .filter(attempt -> attempt.failure() != null)
            .filter(attempt -> attempt.failure().cause() == FailureCause.GPU_FAULT)
            .filter(attempt ->
                attempt.everyMember().stream().noneMatch(m -> isolated.contains(m.nodeName())))
            .count();
  }

  private void in(Duration wait, Runnable work) {
    due.add(new Due(world.now().plus(wait), numbers++, work));
  }

  /** Passes are frequent while anything changes, and increasingly rare while nothing does. */
  private void live(Instant end) {
    Instant shown = world.now();
    while (world.now().isBefore(end)) {
      Instant next = earliest(earliest(world.now().plus(stride), end), shown);
      Due first = due.peek();
      next = first == null ? next : earliest(next, first.at());
      long before = world.changes();
      Instant clusters = turn(next);
      shown = clusters == null || !clusters.isAfter(next) ? end : clusters;
      Duration most = running().isPresent() && program.trains() ? CALM : WATCHFUL;
      stride = before == world.changes() ? earlier(stride.multipliedBy(2), most) : FASTEST;
      while (!due.isEmpty() && !due.peek().at().isAfter(next)) {
        due.remove().work().run();
      }
    }
  }

  private @Nullable Instant turn(Instant to) {
    long before = world.changes();
    Set<NodeId> quarantined = quarantined();
    Set<String> gpus = quarantinedGpus();
    Instant clusters = world.passTo(to);
    program.look(running().orElse(null), to);
    if (before != world.changes()) {
      quarantined.retainAll(quarantined());
      gpus.retainAll(quarantinedGpus());
      List<Attempt> live = stores.jobs().everyAttempt().stream().filter(Attempt::live).toList();
      laws.check(live, quarantined, gpus, world.cluster(CLUSTER).processes());
    }
    return clusters;
  }

  private Set<NodeId> quarantined() {
    return standing().stream()
        .filter(Quarantine::ofNode)
        .map(Quarantine::node)
        .collect(Collectors.toCollection(HashSet::new));
  }

  private Set<String> quarantinedGpus() {
    return standing().stream()
        .map(Quarantine::gpu)
        .filter(gpu -> gpu != null)
        .collect(Collectors.toCollection(HashSet::new));
  }

  private List<Quarantine> standing() {
    return stores.health().standing(nodes.getFirst().cluster());
  }

  private static Instant earliest(Instant a, Instant b) {
    return a.isBefore(b) ? a : b;
  }

  private static Duration earlier(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  private void nextCheckpoint() {
    in(
        plan.checkpoint(),
        () -> {
          if (running().isPresent() && program.trains()) {
            world.saved(gangs.getLast());
          }
          nextCheckpoint();
        });
  }

  private void nextFailure() {
    in(
        FailureKind.untilNext(chance, plan.breaksLike()),
        () -> {
          breaks(FailureKind.draw(chance), nodes.get(chance.nextInt(nodes.size())));
          nextFailure();
        });
  }

  private void breaks(FailureKind kind, Node node) {
    stride = FASTEST;
    record.drawn();
    Attempt attempt = running().orElse(null);
    Member member =
        attempt == null
            ? null
            : attempt.members().stream()
                .filter(m -> m.node().equals(node.id()))
                .findFirst()
                .orElse(null);
    Runnable exits = attempt == null || member == null ? () -> {} : hit(kind, attempt, member);
    switch (kind.sign) {
      case XID -> {
        sick.add(node.name());
        int code = kind.code(chance);
        if (chance.nextBoolean()) {
          exits.run();
        }
        in(Duration.ofMillis(chance.nextLong(1_000, 5_000)), () -> reported(node, code));
      }
      case EXIT -> exits.run();
      case REBOOT -> world.cluster(CLUSTER).rebootNode(node.name());
      case POWER_LOSS -> {
        world.cluster(CLUSTER).crashNode(node.name());
        in(SWITCHED_ON, () -> world.cluster(CLUSTER).rebootNode(node.name()));
      }
      case NONE -> {}
    }
    in(BY_HAND, this::lookedAfter);
  }

  /** Stops the program of the gang, and returns the state of the pod at the end of its process. */
  private Runnable hit(FailureKind kind, Attempt attempt, Member member) {
    FleetRecord.Failure failure = new FleetRecord.Failure(kind, world.now(), attempt, member);
    record.broke(failure);
    boolean ends = kind.sign != FailureKind.Sign.NONE && program.stops(failure, gang());
    return ends
        ? () -> world.cluster(CLUSTER).failPod(attempt.id(), MemberKey.of(member), 1)
        : () -> {};
  }

  /** The owner detects that the run has failed permanently. */
  private void lookedAfter() {
    if (gang().state() == JobState.FAILED) {
      record.byHand();
      submitGang();
    }
  }

  private void reported(Node node, int code) {
    Intake taken = intake.take(world.operator(), CLUSTER, List.of(event(node, code))).getFirst();
    Incident incident = taken.incident();
    record.quarantined((int) standing().stream().map(Quarantine::node).distinct().count());
    if (incident != null) {
      stride = FASTEST;
      isolated.add(node.name());
      in(repair(incident.step()), () -> repaired(node));
    }
  }

  private HealthEvent event(Node node, int code) {
    String gpu = node.gpus().get(chance.nextInt(node.gpus().size())).serial();
    return new HealthEvent("e-" + numbers++, world.now(), node.name(), gpu, null, code, "");
  }

  private static Duration repair(RepairStep step) {
    return switch (step) {
      case NONE, RESTART_JOB -> Duration.ofMinutes(5);
      case RESET_GPU -> Duration.ofMinutes(20);
      case REBOOT -> Duration.ofMinutes(30);
      case POWER_CYCLE -> Duration.ofHours(1);
      case SERVICE -> Duration.ofHours(6);
      case REPLACE -> Duration.ofHours(20);
    };
  }

  private void repaired(Node node) {
    boolean wrong = !sick.remove(node.name());
    try {
      record.released(
          operators.release(world.operator(), node.id().text(), "repaired", false),
          world.now(),
          wrong);
      world.cluster(CLUSTER).rebootNode(node.name());
      stride = FASTEST;
    } catch (Refusal over) {
      /* its day had passed, or the breaker prevented the isolation */
    }
  }

  /** Errors of programs, which monitors also report although they do not concern a device. */
  private void noise() {
    in(
        Duration.ofMinutes(chance.nextLong(20, 100)),
        () -> {
          reported(nodes.get(chance.nextInt(nodes.size())), HARMLESS);
          noise();
        });
  }

  /** All at the same time, as after a fault of the driver. */
  private void storm() {
    for (int i = 0; i < nodes.size() * plan.storm() / 100; i++) {
      Node node = nodes.get(i);
      in(Duration.ofMillis(chance.nextLong(60_000)), () -> reported(node, 79));
    }
  }
}
