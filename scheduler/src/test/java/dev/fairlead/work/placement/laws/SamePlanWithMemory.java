package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.fleet.node.window.RecurringWindow;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.PlaceFailure;
import dev.fairlead.work.placement.After;
import dev.fairlead.work.placement.CycleCache;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.SchedulingEngine;
import dev.fairlead.work.placement.Snapshot;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * The cached state of the last cycle does not affect the plan, regardless of events since. Fails
 * when Refusals or Shapes use data of another row, or Levels uses the rack of a moved node, a shape
 * with an ended back-off, or a shape from before a window opened or closed.
 */
final class SamePlanWithMemory implements Law.Check {
  private static final int CYCLES = 6;
  private static final long ENOUGH = 100_000_000;

  @Override
  public Optional<String> broken(World world, Random random) {
    CycleCache memory = new CycleCache();
    World now = random.nextBoolean() ? windowed(world, random) : world;
    for (int cycle = 0; cycle < CYCLES; cycle++) {
      Snapshot snapshot = new Snapshot(now, List.of(), ENOUGH);
      Plan remembered = new SchedulingEngine().plan(snapshot, memory);
      if (!remembered.equals(new SchedulingEngine().plan(snapshot))) {
        return Optional.of("cycle " + cycle + " is planned otherwise with what was kept");
      }
      now = changed(random.nextBoolean() ? After.of(now, remembered) : now, random);
    }
    return Optional.empty();
  }

  /** Pools that are open for a part of each hour, for jobs that are preemptible or end in time. */
  private static World windowed(World world, Random random) {
    int minutes = 1 + random.nextInt(59);
    RecurringWindow window =
        RecurringWindow.of(
            Cron.parse(random.nextInt(60) + " * * * *"),
            Duration.ofMinutes(minutes),
            RecurringWindow.zone("UTC"));
    PoolWindows windows =
        new PoolWindows(List.of(window), Duration.ZERO, LeftoverPolicy.EVICT, Duration.ZERO);
    List<Node> nodes = new ArrayList<>(world.nodes());
    nodes.replaceAll(node -> {
      NodePool pool = node.pool();
      return node.in(
          pool == null
              ? new NodePool("hourly", null, Spares.NONE, windows)
              : new NodePool(pool.name(), pool.tenant(), pool.spares(), windows));
    });
    return Changed.nodes(world, nodes);
  }

  /** Advances time, ends, withdraws or patches a job, and removes, adds or changes a node. */
  private static World changed(World world, Random random) {
    World later = Changed.asOf(world, world.asOf().plusSeconds(random.nextInt(2000)));
    List<Node> nodes = new ArrayList<>(later.nodes());
    List<PendingJob> pending = new ArrayList<>(later.pending());
    switch (random.nextInt(8)) {
      case 0 -> {
        return later.live().isEmpty() ? later : Ended.of(later, one(later.live(), random));
      }
      case 1 -> pending.remove(any(pending, random));
      case 2 -> pending.replaceAll(p -> Worlds.priority(p, random.nextInt(1000)));
      case 3 -> nodes.remove(any(nodes, random));
      case 4 -> nodes.replaceAll(n -> random.nextBoolean() ? n : state(n, NodeState.CORDONED));
      case 5 -> {
        return failing(later, random);
      }
      case 6 -> nodes.replaceAll(n -> random.nextInt(4) > 0 ? n : beside(n, one(nodes, random)));
      default -> {
        return Changed.shuffled(later, random);
      }
    }
    return Changed.nodes(Changed.pending(later, pending), nodes);
  }

  /** A node fails a preflight test for a job, or all failures are deleted. */
  private static World failing(World world, Random random) {
    if (world.nodes().isEmpty() || world.pending().isEmpty() || random.nextInt(3) == 0) {
      return Changed.failures(world, List.of());
    }
    List<PlaceFailure> failures = new ArrayList<>(world.placeFailures());
    failures.add(
        new PlaceFailure(
            one(world.pending(), random).job().id(),
            0,
            one(world.nodes(), random).id(),
            random.nextBoolean() ? FailureCause.NODE_FAILURE : FailureCause.START_TIMEOUT,
            world.asOf(),
            world.asOf(),
            null,
            null));
    return Changed.failures(world, failures);
  }

  private static Node state(Node node, NodeState state) {
    return node.withPool(null).in(state);
  }

  /** The node moves to the rack of another node. */
  private static Node beside(Node node, Node other) {
    return node.withPool(null).withStatus(node.status().withTopology(other.topology()));
  }

  private static <T> T one(List<T> of, Random random) {
    return of.get(random.nextInt(of.size()));
  }

  private static <T> Object any(List<T> of, Random random) {
    return of.isEmpty() ? random : one(of, random);
  }
}
