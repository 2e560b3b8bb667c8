package dev.fairlead.integration;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.clock.SteadyClock;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.UsageLabelStore;
import dev.fairlead.money.usage.UsageLabels;
import dev.fairlead.money.usage.UsageStore;
import dev.fairlead.money.usage.UsageStore.Watermark;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Random job lifecycles on two nodes of eight GPUs with a clock that steps, with crashes between
 * statements, and the passes of the loop that keeps the books. Some transactions of a job run while
 * the database's clock is hours ahead of the process's machine.
 */
final class BookedLives {
  private static final long MINUTE = 60_000;
  private static final long SETTLING = 10 * MINUTE;
  private static final long STEP = 3 * HourBook.HOUR_MILLIS;
  private static final long TOLERANCE = SteadyClock.TOLERANCE.toMillis();
  private static final String[] NODES = {"node-1", "node-2"};
  private static final String CUT = "nvidia.com/mig-1g.10gb";
  private static final int MOST_ALIVE = 12;

  /** A chosen label of the tenant. Some jobs have it with one of these values. */
  static final String LABEL = "grant";

  static final List<String> VALUES = List.of("g0", "g1", "g2");

  private final Random random;
  private final DatabaseClock clock;
  private final PostgresInstallation stores;
  private final TestWorld world;
  private final UsageStore usage;
  private final BookedBudgets budgets;
  private final ExpectedUse expected = new ExpectedUse();
  private final List<Life> alive = new ArrayList<>();
  private final Map<String, Integer> happened = new TreeMap<>();
  private boolean lost;
  private boolean drained;
  private long openMillis;
  private long lookMillis;
  private int made;

  /** A job and its newest attempt. */
  private static final class Life {
    private final Job job;
    private @Nullable Attempt attempt;

    private Life(Job job) {
      this.job = job;
    }
  }

  BookedLives(PostgresInstallation stores, DatabaseClock clock, long seed) {
    this.stores = stores;
    this.clock = clock;
    this.random = new Random(seed);
    this.world = TestWorld.in(stores);
    world.report(
        NodeReports.node(NODES[0]).offers(CUT, 14).build(),
        NodeReports.node(NODES[1]).offers(CUT, 14).build());
    this.usage = stores.bean(UsageStore.class);
    this.budgets = new BookedBudgets(stores, world.tenant().id(), world.cluster().id());
    Watermark watermark = usage.look();
    this.openMillis = watermark.openMillis();
    this.lookMillis = watermark.nowMillis();
    stores
        .bean(UsageLabelStore.class)
        .put(
            world.tenant().id(),
            new UsageLabels(Instant.ofEpochMilli(openMillis), List.of(LABEL), ""));
  }

  TenantId tenant() {
    return world.tenant().id();
  }

  ExpectedUse expected() {
    return expected;
  }

  BookedBudgets budgets() {
    return budgets;
  }

  /** The number of events of each kind. */
  Map<String, Integer> happened() {
    return happened;
  }

  /** Runs all jobs to their end, then closes the hours. */
  void live(int jobs) {
    while (made < jobs || !alive.isEmpty()) {
      step(jobs);
    }
    fleet("ACTIVE", NodeState.ACTIVE);
    turn();
    clock.to(Math.max(clock.millis(), lookMillis) + 2 * HourBook.HOUR_MILLIS);
    turn();
  }

  private void step(int jobs) {
    int dice = random.nextInt(20);
    if (dice < 4) {
      clock.to(clock.millis() + random.nextLong(dice == 0 ? 50 * MINUTE : MINUTE));
    } else if (dice == 4) {
      clock.to(clock.millis() - random.nextLong(20 * MINUTE));
      count("clock back");
    } else if (dice == 5) {
      fleet(
          random.nextInt(3) == 0 ? "UNREACHABLE" : "ACTIVE",
          random.nextInt(3) == 0 ? NodeState.DRAINING : NodeState.ACTIVE);
      turn();
    } else if (dice < 8) {
      turn();
    } else if (made < jobs && alive.size() < MOST_ALIVE && dice < 12) {
      alive.add(new Life(world.submit(spec("life-" + made++))));
    } else if (!alive.isEmpty()) {
      Life life = alive.get(random.nextInt(alive.size()));
      move(life);
    }
  }

  private Specs spec(String name) {
    Specs spec = Specs.job(name).cpuMilli(1).memoryMiB(1);
    if (made % 4 < VALUES.size()) {
      spec.label(LABEL, VALUES.get(made % 4));
    }
    if (random.nextBoolean()) {
      spec.maxRuntime(Duration.ofMinutes(10 + random.nextInt(50)));
    }
    return switch (random.nextInt(5)) {
      case 3 -> spec.gpu(new GpuRequest(GpuRequest.Kind.MIG, 3, 0, 0, "1g.10gb", List.of(), 0));
      case 0 -> spec.gpus(1 + random.nextInt(3));
      case 1 -> spec.gpu(GpuRequest.fraction(1 + random.nextInt(999)));
      case 2 -> spec.gpu(slice(random.nextBoolean() ? "1g.10gb" : "3g.40gb"));
      default -> spec.workers(3).minWorkers(1).gpus(1);
    };
  }

  private static GpuRequest slice(String profile) {
    return new GpuRequest(GpuRequest.Kind.MIG, 1, 0, 0, profile, List.of(), 0);
  }

  private void move(Life life) {
    if (life.attempt == null) {
      tried("place", life, () -> placed(life.job));
      return;
    }
    Attempt now = world.attempt(life.attempt);
    switch (now.state()) {
      case PLANNED -> tried("launch", life, () -> world.apply(now, new AttemptEvent.Launch()));
      case LAUNCHING, PULLING ->
          tried("run", life, () -> world.apply(now, new AttemptEvent.Progress(true)));
      case RUNNING -> running(life, now);
      case UNKNOWN -> tried("late evidence", life, () -> ended(now, AttemptState.LOST));
      case STOPPING -> tried("preempt", life, () -> ended(now, AttemptState.PREEMPTED));
      case SUCCEEDED, FAILED, PREEMPTED, EVICTED, LOST, CANCELLED -> alive.remove(life);
    }
  }

  private void running(Life life, Attempt now) {
    boolean leaving = now.members().stream().anyMatch(Member::leaves);
    boolean elastic = life.job.spec().roles().getFirst().count() > 1;
    switch (random.nextInt(20)) {
      case 0 -> tried("succeed", life, () -> world.succeed(now));
      case 1 -> tried("fail", life, () -> world.fail(now, FailureCause.USER_ERROR));
      case 2 -> tried("stop", life, () -> stopped(now));
      case 3 -> {
        if (lost) {
          tried("unreachable", life, () -> world.apply(now, new AttemptEvent.Unreachable()));
        }
      }
      default -> {
        if (leaving) {
          tried("leave", life, () -> world.leave(now));
        } else if (elastic && now.members().size() > 1) {
          tried("shrink", life, () -> world.shrink(now, now.members().getLast().key()));
        } else if (elastic) {
          tried("grow", life, () -> world.grow(now, node()));
        }
      }
    }
  }

  private String node() {
    return NODES[random.nextInt(NODES.length)];
  }

  private Attempt placed(Job job) {
    boolean cut = job.spec().roles().getFirst().gpu().count() == 3 && slices(job);
    Attempt planned =
        world.attempt(job, 0, cut ? List.of(cut(job)) : world.members(job, 0, node()));
    world.append(world.admission(planned));
    return world.attempt(planned);
  }

  private static boolean slices(Job job) {
    return job.spec().roles().getFirst().gpu().kind() == GpuRequest.Kind.MIG;
  }

  /** On slices that its node offers as an amount. */
  private Member cut(Job job) {
    Node node = world.node(node());
    return Member.planned(
        job.spec().roles().getFirst().name(),
        0,
        node.id(),
        node.name(),
        new Flavor(node.gpuModel(), CapacityType.RESERVED),
        new ResourceVector(1, 1, 0, 1, new TreeMap<>(Map.of(CUT, 3L))),
        List.of());
  }

  private Attempt stopped(Attempt now) {
    Failure why = Failure.of(FailureCause.PREEMPTED, "another", now.number());
    return world.apply(
        now, new AttemptEvent.Stop(StopCause.PREEMPTION, why, world.now().plusSeconds(30)));
  }

  private Attempt ended(Attempt now, AttemptState state) {
    Failure why = Failure.of(FailureCause.PREEMPTED, "another", now.number());
    return world.apply(now, new AttemptEvent.Ended(state, why));
  }

  /** One transaction, which sometimes dies between two of its statements. */
  private void tried(String what, Life life, Supplier<Attempt> transaction) {
    List<Member> before = life.attempt == null ? List.of() : world.attempt(life.attempt).members();
    if (random.nextInt(6) == 0) {
      clock.crashAfter(random.nextInt(12));
    }
    boolean ahead = random.nextInt(8) == 0;
    if (ahead) {
      clock.ahead(STEP);
      count("clock ahead");
    }
    Attempt after;
    boolean spent = false;
    try {
      after = transaction.get();
      count(what);
    } catch (RuntimeException refused) {
      spent = refused instanceof Conflict no && no.guard() == Conflict.Guard.BUDGET;
      count(clock.crashed() ? "crash" : "refused " + (spent ? "by a budget" : what));
      after = clock.crashed() ? written(life) : null;
    } finally {
      clock.survive();
      clock.ahead(0);
    }
    long at = ahead ? Math.max(clock.millis(), lookMillis) + TOLERANCE : clock.millis();
    if (spent) {
      budgets.refused();
    } else if (after != null && what.equals("place")) {
      budgets.started(after.id(), at);
    }
    if (after != null) {
      life.attempt = after;
      String label = life.job.spec().labels().getOrDefault(LABEL, "");
      expected.changed(label, before, after, Math.max(at, openMillis));
    }
  }

  /** A crash after the commit: the written rows remain. */
  private @Nullable Attempt written(Life life) {
    clock.survive();
    return life.attempt == null
        ? stores.jobs().liveAttempts(life.job.id()).stream().findFirst().orElse(null)
        : world.attempt(life.attempt);
  }

  private void fleet(String cluster, NodeState node) {
    lost = !cluster.equals("ACTIVE");
    drained = node != NodeState.ACTIVE;
    count(lost ? "cluster lost" : "cluster here");
    stores
        .jdbc()
        .sql("UPDATE cluster SET state = :state WHERE id = :id")
        .param("state", cluster)
        .param("id", world.cluster().id().value())
        .update();
    stores.moveNode(world.node(NODES[1]).id(), node);
  }

  /** Like the loop: a sample, the open hour, and its end. */
  private void turn() {
    Watermark watermark = usage.look();
    lookMillis = watermark.nowMillis();
    expected.seen(NODES[0], lost, watermark.nowMillis());
    expected.seen(NODES[1], lost || drained, watermark.nowMillis());
    while (true) {
      HourBook book = new HourBook(openMillis, watermark.nowMillis());
      usage.gpus(book.hourMillis(), book.toMillis(), book::add);
      stores.bean(UseLedger.class).write(book.sums().facts());
      if (watermark.nowMillis() - openMillis - HourBook.HOUR_MILLIS < SETTLING) {
        return;
      }
      openMillis += HourBook.HOUR_MILLIS;
      usage.close(openMillis);
      count("hour closed");
    }
  }

  private void count(String what) {
    happened.merge(what, 1, Integer::sum);
  }
}
