package dev.fairlead.verify.simulation.work;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.fleet.node.window.RecurringWindow;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Fault;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.estimate.Runtimes;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A pool of all nodes of one cluster, which is open for a part of every ten minutes. Its owner
 * changes the windows. They still open and close for a few minutes after the last fault.
 */
public final class WindowArea implements Area {
  /** From the last fault on. */
  private static final Duration REMAIN = Duration.ofMinutes(15);

  /** Without faults, a job is ordered to leave within this time after a window closed. */
  private static final long LEFT = Duration.ofMinutes(2).toMillis();

  private static final long SETTLED = Duration.ofMinutes(3).toMillis();
  private static final Cron EVERY_TEN = Cron.parse("*/10 * * * *");

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final PoolId id;
  private final Map<String, Set<String>> known = new HashMap<>();
  private @Nullable Long calmSince;
  private @Nullable Long closedSince;
  private @Nullable String broken;

  public WindowArea(
      RandomGenerator chance, VirtualTime time, DurableState durable, Set<Guard> missing) {
    this.chance = chance;
    this.time = time;
    this.durable = durable;
    MemoryStores stores = durable.stores();
    this.id = new PoolId(stores.ids().next());
    String cluster = stores.inventory().cluster(durable.clusters().firstKey()).orElseThrow().name();
    boolean wanted = missing.contains(Guard.WINDOW) || missing.contains(Guard.WINDOW_LEAVE);
    PoolWindows windows = wanted || chance.nextInt(3) == 0 ? drawn() : PoolWindows.NONE;
    Pool pool =
        new Pool(
            id,
            "night",
            null,
            new PoolSelector(List.of(cluster), List.of(), new TreeMap<>(), List.of()),
            "",
            Spares.NONE,
            windows,
            1);
    stores
        .database()
        .run(() -> {
          stores.pools().insert(pool);
          int _ = stores.inventory().assign(stores.pools().pools());
        });
    durable.afterAttempts(this::follow);
  }

  private PoolWindows drawn() {
    RecurringWindow window =
        new RecurringWindow(EVERY_TEN, Duration.ofMinutes(2L + chance.nextInt(4)), ZoneOffset.UTC);
    return switch (LeftoverPolicy.values()[chance.nextInt(3)]) {
      case EVICT ->
          new PoolWindows(List.of(window), Duration.ZERO, LeftoverPolicy.EVICT, Duration.ZERO);
      case EXTEND_UP_TO ->
          new PoolWindows(
              List.of(window), Duration.ZERO, LeftoverPolicy.EXTEND_UP_TO, Duration.ofMinutes(1));
      case FINISH ->
          new PoolWindows(
              List.of(window), Duration.ofMinutes(1), LeftoverPolicy.FINISH, Duration.ZERO);
    };
  }

  private Pool pool() {
    return durable.stores().pools().pool(id).orElseThrow();
  }

  private void set(PoolWindows windows) {
    MemoryStores stores = durable.stores();
    stores
        .database()
        .run(() -> {
          Pool old = pool();
          stores
              .pools()
              .update(
                  new Pool(
                      id,
                      old.name(),
                      old.tenant(),
                      old.selector(),
                      old.description(),
                      old.spares(),
                      windows,
                      old.version() + 1));
          int _ = stores.inventory().assign(stores.pools().pools());
        });
  }

  /** Checks one commit: every new allocation finds the windows of its node open. */
  private void follow() {
    Instant now = durable.stores().clock().instant();
    Set<String> live = new HashSet<>();
    for (Attempt attempt : durable.stores().jobs().live()) {
      String key = attempt.id().text();
      live.add(key);
      boolean starts = !known.containsKey(key);
      Set<String> members = known.computeIfAbsent(key, a -> new HashSet<>());
      for (Member member : attempt.members()) {
        if (members.add(MemberKey.of(member).text()) && !admitted(attempt, member, starts, now)) {
          broken = Objects.requireNonNullElse(broken, "starts in a closed window: " + attempt);
        }
      }
    }
    known.keySet().retainAll(live);
  }

  private boolean admitted(Attempt attempt, Member member, boolean starts, Instant now) {
    MemoryStores stores = durable.stores();
    PoolWindows windows = stores.database().call(() -> stores.inventory().windows(member.node()));
    Job job = job(attempt);
    QuotaNode queue = durable.stores().quotas().node(job.tenant(), job.queue()).orElse(null);
    return starts
        ? Runtimes.admit(windows, windows.current(now), job, queue, now)
        : windows.open(now);
  }

  private Job job(Attempt attempt) {
    return durable.stores().jobs().findAll(List.of(attempt.job())).getFirst();
  }

  @Override
  public Set<Fault> faults() {
    return Set.of(Fault.WINDOWS_CHANGED);
  }

  @Override
  public Runnable strike(Fault fault) {
    PoolWindows before = pool().windows();
    if (before.always()) {
      return () -> {};
    }
    set(drawn());
    return () -> {
      if (calmSince == null) {
        set(before);
      }
    };
  }

  @Override
  public void check() {
    if (broken != null) {
      throw new InvariantBroken(Invariant.WINDOW_IS_LEFT, broken);
    }
    Instant now = durable.stores().clock().instant();
    if (!pool().windows().stops(now)) {
      closedSince = null;
      return;
    }
    if (closedSince == null) {
      closedSince = time.now();
    }
    boolean calm = calmSince != null && time.now() - calmSince > SETTLED;
    if (calm && time.now() - closedSince > LEFT) {
      durable.stores().jobs().live().stream()
          .filter(attempt -> remains(attempt, now))
          .findFirst()
          .ifPresent(attempt -> {
            throw new InvariantBroken(Invariant.WINDOW_IS_LEFT, "not asked to leave: " + attempt);
          });
    }
  }

  /** The clock may have been set back since the start, so the minimum run time may end only now. */
  private boolean remains(Attempt attempt, Instant now) {
    Instant started = attempt.startedAt();
    Instant leaves = started == null ? null : Runtimes.leaves(job(attempt), started);
    return attempt.stop() == null
        && leaves != null
        && leaves.plusMillis(LEFT).isBefore(now)
        && attempt.members().stream().anyMatch(member -> closed(member.node()));
  }

  private boolean closed(NodeId node) {
    return durable
        .stores()
        .inventory()
        .node(node)
        .map(Node::pool)
        .filter(pool -> pool.name().equals("night"))
        .isPresent();
  }

  /** The windows are removed after a while, so that every job can end. */
  @Override
  public void heal() {
    calmSince = time.now();
    time.in(REMAIN, "windows are removed", () -> set(PoolWindows.NONE));
  }
}
