package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.After;
import dev.fairlead.work.placement.RandomScene;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/**
 * A moved job is preemptible, has run undisturbed for long enough, does not have a higher priority,
 * and loses no more work than the waiting job has waited. Once all moved jobs have left, each of
 * them restarts and the waiting job starts, which would not start if one had stayed. Jobs move only
 * on clusters that allow it, and at most once in ten minutes. On worlds of FragmentedScene. Fails
 * when ReservedStarts drops the node of a job that must still leave, when Repacking never removes a
 * job from its list, and when Consolidation ignores run time, waiting time or priority.
 */
final class Consolidated implements Law.Check {
  private static final int ROUNDS = 6;
  private static final Duration STEP = Duration.ofMinutes(3);
  private static final Duration REST = Duration.ofMinutes(10);

  @Override
  public Optional<String> broken(World world, Random random) {
    if (!Leaving.preempts(Planned.of(still(world))).isEmpty()) {
      return Optional.of("somebody moves though the cluster moves nobody");
    }
    Map<JobId, Instant> moved = new TreeMap<>();
    World now = world;
    for (int round = 0; round < ROUNDS; round++) {
      Planned planned = Planned.of(now);
      World from = now;
      World told = After.of(now, planned.plan());
      for (Decision.Preempt preempt : Leaving.preempts(planned)) {
        boolean alone = Leaving.preempts(planned).size() == 1;
        Optional<String> wrong =
            wrong(from, preempt)
                .or(() -> alone ? superfluous(from, told, preempt) : Optional.empty());
        if (wrong.isPresent()) {
          return wrong;
        }
        for (Reservation each : preempt.moved()) {
          Instant last = moved.put(each.job(), now.asOf());
          if (last != null && now.asOf().isBefore(last.plus(REST))) {
            return Optional.of("moves again after " + Duration.between(last, now.asOf()));
          }
        }
      }
      boolean moves = !Leaving.preempts(planned).isEmpty();
      World contested = moves ? contested(told, round, random) : told;
      Optional<String> lost = lost(contested, Leaving.preempts(planned));
      if (lost.isPresent()) {
        return lost;
      }
      now = Changed.asOf(Leaving.back(contested), now.asOf().plus(STEP));
      if (random.nextInt(3) == 0 && !now.live().isEmpty()) {
        now = Ended.of(now, now.live().get(random.nextInt(now.live().size())));
      }
    }
    return Optional.empty();
  }

  private static World still(World world) {
    List<Cluster> clusters = new ArrayList<>();
    for (Cluster c : world.clusters()) {
      ClusterSettings never = c.settings().withConsolidation(ClusterSettings.Consolidation.NEVER);
      clusters.add(c.configured(c.capacity(), c.pricePerGpuHour(), never));
    }
    return Changed.clusters(world, clusters);
  }

  private static Optional<String> wrong(World world, Decision.Preempt preempt) {
    Job waits =
        world.pending().stream()
            .map(PendingJob::job)
            .filter(job -> job.id().equals(preempt.job()))
            .findFirst()
            .orElseThrow();
    double cost = 0;
    for (Decision.Preempt.Eviction victim : preempt.victims()) {
      World.LiveAttempt live = running(world, victim.attempt());
      Duration ran = Duration.between(live.attempt().startedAt(), world.asOf());
      Duration least = live.job().spec().preemption().minRuntime();
      cost += ran.plusMinutes(2).toSeconds() * gpus(live.attempt().members());
      if (!live.job().spec().preemption().allowed()
          || ran.compareTo(REST) < 0
          || ran.compareTo(least) < 0
          || live.job().priority() > waits.priority()) {
        return Optional.of(live.job().name() + " must not move: " + preempt);
      }
    }
    if (preempt.moved().size() != preempt.victims().size()) {
      return Optional.of("not everybody who moves has a place: " + preempt);
    }
    Duration waited = Duration.between(waits.createdAt(), world.asOf());
    double worth = waited.toSeconds() * gpus(preempt.reservation().members());
    return cost <= worth
        ? Optional.empty()
        : Optional.of("costs %s of %s GPU seconds: %s".formatted(cost, worth, preempt));
  }

  /**
   * If one job stays on its nodes and the others run on the reserved nodes, the waiting job does
   * not start.
   */
  private static Optional<String> superfluous(World before, World told, Decision.Preempt preempt) {
    for (Decision.Preempt.Eviction victim : preempt.victims()) {
      World stays = Leaving.spared(told, before, victim.attempt());
      List<Reservation> others =
          stays.reservations().stream().filter(r -> !r.job().equals(victim.job())).toList();
      Planned planned = Planned.of(Leaving.back(Changed.reservations(stays, others)));
      boolean all =
          preempt.moved().stream()
              .filter(r -> !r.job().equals(victim.job()))
              .allMatch(r -> startsThere(planned, r));
      if (all && planned.started(preempt.job(), preempt.reservation().element())) {
        return Optional.of("starts though this one stays: " + victim);
      }
    }
    return Optional.empty();
  }

  /** A start on other nodes would not need the planned moves. */
  private static boolean startsThere(Planned planned, Reservation kept) {
    return planned.places().stream()
        .filter(p -> p.job().equals(kept.job()) && p.element() == kept.element())
        .anyMatch(p -> nodes(p.members()).equals(nodes(kept.members())));
  }

  private static List<NodeId> nodes(List<Member> members) {
    return members.stream().map(Member::node).toList();
  }

  /** While they leave, jobs of the highest priority are submitted and another plan runs. */
  private static World contested(World told, int round, Random random) {
    List<PendingJob> pending = new ArrayList<>(told.pending());
    for (PendingJob rival : RandomScene.world(random.nextLong(), 4).pending()) {
      PendingJob comes = Worlds.rival(rival, 100 * (round + 1) + pending.size(), told, random);
      pending.add(Worlds.priority(comes, 1_000_000));
    }
    World come = Changed.pending(told, pending);
    return After.of(come, Planned.of(come).plan());
  }

  private static Optional<String> lost(World told, List<Decision.Preempt> preempts) {
    if (preempts.isEmpty()) {
      return Optional.empty();
    }
    Planned again = Planned.of(Leaving.back(told));
    for (Decision.Preempt preempt : preempts) {
      List<Reservation> all = new ArrayList<>(preempt.moved());
      all.add(preempt.reservation());
      for (Reservation each : all) {
        if (!again.started(each.job(), each.element())) {
          return Optional.of("does not start once all have left: " + each);
        }
      }
    }
    return Optional.empty();
  }

  private static World.LiveAttempt running(World world, AttemptId attempt) {
    return world.live().stream()
        .filter(l -> l.attempt().id().equals(attempt))
        .findFirst()
        .orElseThrow();
  }

  private static double gpus(List<Member> members) {
    return members.stream().mapToLong(m -> m.request().gpuMilli()).sum() / 1000.0;
  }
}
