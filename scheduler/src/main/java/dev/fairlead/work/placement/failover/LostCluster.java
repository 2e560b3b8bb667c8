package dev.fairlead.work.placement.failover;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.money.price.Quote;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.SchedulingEngine;
import dev.fairlead.work.placement.Snapshot;
import dev.fairlead.work.placement.admission.Admission;
import dev.fairlead.work.placement.admission.Charges;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.FailoverTest;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import dev.fairlead.work.world.World.LiveAttempt;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Plans the world with and without a cluster. In the second plan, the attempts of the cluster wait
 * again and hold no quota. Budget held for the lost attempts is not returned.
 */
public final class LostCluster {
  private final World world;
  private final Cluster cluster;
  private final SortedMap<NodeId, Node> nodes = new TreeMap<>();
  private final SortedMap<ClusterId, String> clusters = new TreeMap<>();
  private final SortedMap<QuotaNodeId, String> queues = new TreeMap<>();
  private final List<LiveAttempt> lost = new ArrayList<>();

  private LostCluster(World world, Cluster cluster) {
    this.world = world;
    this.cluster = cluster;
    world.nodes().forEach(node -> nodes.put(node.id(), node));
    world.clusters().forEach(each -> clusters.put(each.id(), each.name()));
    world.quotaNodes().forEach(each -> queues.put(each.id(), each.name()));
    for (LiveAttempt live : world.live()) {
      if (live.attempt().cluster().equals(cluster.id())) {
        lost.add(live);
      }
    }
  }

  /**
   * Runs the failover test for a cluster of this world.
   *
   * @param workBudget work budget of each of the two plans, see {@link Snapshot#workBudget}
   */
  public static FailoverTest failoverTest(World world, Cluster cluster, long workBudget) {
    return new LostCluster(world, cluster).failoverTest(workBudget);
  }

  private FailoverTest failoverTest(long workBudget) {
    Plan now = plan(world, workBudget);
    Plan then = plan(without(), workBudget);
    Outcomes outcomes = new Outcomes(then);
    List<FailoverTest.LostAttempt> losses =
        lost.stream()
            .filter(live -> live.attempt().stop() == null)
            .map(live -> loss(live, outcomes))
            .sorted(
                Comparator.comparingLong(FailoverTest.LostAttempt::gpuMilli)
                    .reversed()
                    .thenComparing(each -> each.attempt().id()))
            .toList();
    SortedSet<Reservation.Key> starts = starts(now);
    starts.removeAll(starts(then));
    return new FailoverTest(world.asOf(), cluster, losses, evicted(now, then), starts.size());
  }

  private static Plan plan(World world, long workBudget) {
    return new SchedulingEngine().plan(new Snapshot(world, List.of(), workBudget));
  }

  private World without() {
    Admission admission = new Admission(world.quotaNodes(), world.quotaUses(), world.asOf());
    for (LiveAttempt live : lost) {
      Charges charges = Charges.of(live.job(), live.attempt().charges());
      if (admission.tree().node(live.job().queue()).isPresent()) {
        charges.free(admission.tree(), live.job().queue());
      }
    }
    return world.toBuilder()
        .clusters(
            world.clusters().stream()
                .map(each -> each.id().equals(cluster.id()) ? each.in(ClusterState.DISABLED) : each)
                .toList())
        .live(
            world.live().stream()
                .filter(live -> !live.attempt().cluster().equals(cluster.id()))
                .toList())
        .reservations(
            world.reservations().stream()
                .filter(kept -> !kept.cluster().equals(cluster.id()))
                .toList())
        .quotaUses(admission.tree().uses())
        .pending(pending())
        .build();
  }

  /** Returns the waiting jobs and the jobs that would have to start again. */
  private List<PendingJob> pending() {
    SortedMap<JobId, PendingJob> pending = new TreeMap<>();
    world.pending().forEach(each -> pending.put(each.job().id(), each));
    for (LiveAttempt live : lost) {
      if (live.attempt().stop() == null) {
        pending.merge(live.job().id(), again(live), LostCluster::both);
      }
    }
    return List.copyOf(pending.values());
  }

  private static PendingJob again(LiveAttempt live) {
    Attempt attempt = live.attempt();
    PendingJob.Offer offer = new PendingJob.Offer(attempt.element(), attempt.number(), null);
    return new PendingJob(live.job(), List.of(offer), List.of(), null);
  }

  private static PendingJob both(PendingJob one, PendingJob other) {
    List<PendingJob.Offer> offers = new ArrayList<>(one.offers());
    offers.addAll(other.offers());
    offers.sort(Comparator.comparingInt(PendingJob.Offer::index));
    return new PendingJob(one.job(), offers, one.unmet(), one.deadDependency());
  }

  private FailoverTest.LostAttempt loss(LiveAttempt live, Outcomes outcomes) {
    Attempt attempt = live.attempt();
    return new FailoverTest.LostAttempt(
        live.job(),
        attempt,
        queues.getOrDefault(live.job().queue(), ""),
        unsaved(attempt),
        quote(attempt.cluster(), attempt.members()),
        outcomes.of(live));
  }

  private Duration unsaved(Attempt attempt) {
    Instant since = attempt.checkpointedAt();
    since = since == null ? attempt.startedAt() : since;
    return since == null || since.isAfter(world.asOf())
        ? Duration.ZERO
        : Duration.between(since, world.asOf());
  }

  private Quote quote(ClusterId on, List<Member> members) {
    Member first = members.getFirst();
    Quote.Demand demand =
        new Quote.Demand(
            on,
            pool(first),
            first.flavor().capacity(),
            QuotaCell.gpuMilli(Attempt.charges(members)));
    return Quote.of(world.prices(), demand, world.asOf(), null);
  }

  private String name(ClusterId id) {
    return clusters.getOrDefault(id, "");
  }

  private @Nullable String pool(Member member) {
    Node node = nodes.get(member.node());
    NodePool pool = node == null ? null : node.pool();
    return pool == null ? null : pool.name();
  }

  private static SortedSet<Reservation.Key> starts(Plan plan) {
    SortedSet<Reservation.Key> starts = new TreeSet<>();
    for (Decision decision : plan.decisions()) {
      if (decision instanceof Decision.Place place) {
        starts.add(new Reservation.Key(place.job(), place.element()));
      }
    }
    return starts;
  }

  private FailoverTest.Evicted evicted(Plan now, Plan then) {
    SortedSet<AttemptId> victims = victims(then);
    victims.removeAll(victims(now));
    SortedSet<JobId> jobs = new TreeSet<>();
    long gpuMilli = 0;
    for (LiveAttempt live : world.live()) {
      if (victims.contains(live.attempt().id())) {
        jobs.add(live.job().id());
        gpuMilli += live.attempt().members().stream().mapToLong(m -> m.request().gpuMilli()).sum();
      }
    }
    return new FailoverTest.Evicted(jobs.size(), gpuMilli);
  }

  private static SortedSet<AttemptId> victims(Plan plan) {
    SortedSet<AttemptId> victims = new TreeSet<>();
    for (Decision decision : plan.decisions()) {
      if (decision instanceof Decision.Preempt preempt) {
        preempt.victims().forEach(victim -> victims.add(victim.attempt()));
      }
    }
    return victims;
  }

  /** Decisions of the plan without the cluster, by job and element. */
  private final class Outcomes {
    private final SortedMap<Reservation.Key, FailoverTest.Outcome> started = new TreeMap<>();
    private final SortedMap<JobId, Explanation> held = new TreeMap<>();

    private Outcomes(Plan plan) {
      for (Decision decision : plan.decisions()) {
        switch (decision) {
          case Decision.Place place ->
              started.put(
                  new Reservation.Key(place.job(), place.element()),
                  new FailoverTest.Outcome.Moves(
                      name(place.cluster()),
                      pool(place.members().getFirst()),
                      quote(place.cluster(), place.members())));
          case Decision.Preempt preempt -> {
            Reservation kept = preempt.reservation();
            started.put(
                kept.key(),
                new FailoverTest.Outcome.Evicts(name(kept.cluster()), preempt.victims().size()));
          }
          case Decision.Hold hold -> {
            Explanation why = plan.explanations().get(hold.classKey());
            if (why != null) {
              held.put(hold.job(), why);
            }
          }
          case Decision.Expire ignored -> {}
          case Decision.Ask ignored -> {}
          case Decision.MoveBack ignored -> {}
          case Decision.Leftover ignored -> {}
          case Decision.Grow ignored -> {}
          case Decision.Shrink ignored -> {}
          case Decision.Reserve ignored -> {}
          case Decision.Release ignored -> {}
        }
      }
    }

    private FailoverTest.Outcome of(LiveAttempt live) {
      Job job = live.job();
      FailoverTest.Outcome outcome =
          started.get(new Reservation.Key(job.id(), live.attempt().element()));
      Explanation why = held.get(job.id());
      if (outcome != null) {
        return outcome;
      }
      return why == null
          ? new FailoverTest.Outcome.NotPlanned()
          : new FailoverTest.Outcome.Waits(why);
    }
  }
}
