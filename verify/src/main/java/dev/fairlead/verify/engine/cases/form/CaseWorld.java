package dev.fairlead.verify.engine.cases.form;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.AttemptStatus;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;

/** The world of a case, in which the decisions of each plan are executed. */
public final class CaseWorld {
  private final Cluster cluster;
  private final List<Node> idle;
  private final List<QuotaNode> tree;
  private final boolean saved;
  private final SortedMap<JobId, Job> waiting = new TreeMap<>();
  private final SortedMap<AttemptId, World.LiveAttempt> live = new TreeMap<>();
  private final SortedMap<Reservation.Key, Reservation> kept = new TreeMap<>();
  private final SortedSet<JobId> staying = new TreeSet<>();

  /**
   * @param saved whether running jobs have just saved their work, so that all lose equally little
   */
  public CaseWorld(Cluster cluster, List<Node> idle, List<QuotaNode> tree, boolean saved) {
    this.saved = saved;
    this.cluster = cluster;
    this.idle = idle;
    this.tree = tree;
  }

  public void waits(Job job) {
    waiting.put(job.id(), job);
  }

  public void keep(Reservation reservation) {
    kept.put(reservation.key(), reservation);
  }

  /** Adds an attempt that has run for a few seconds. Ids follow the order of the keys. */
  public void runs(Job job, AttemptId id, double seconds, List<Member> members) {
    live.put(
        id,
        new World.LiveAttempt(attempt(job, id, seconds, members), CaseJobs.running(job, seconds)));
  }

  /** Stops the attempt. If {@code forGood}, the job does not wait again. */
  public void stops(AttemptId id, boolean forGood) {
    World.LiveAttempt attempt = live.computeIfPresent(id, (key, l) -> stopping(l));
    if (forGood && attempt != null) {
      staying.add(attempt.job().id());
    }
  }

  private Attempt attempt(Job job, AttemptId id, double seconds, List<Member> members) {
    return new Attempt(
        id,
        job.id(),
        0,
        1,
        cluster.id(),
        1,
        CaseJobs.ago(seconds),
        AttemptStatus.of(AttemptState.RUNNING)
            .withLaunchedAt(CaseJobs.ago(seconds))
            .withStartedAt(CaseJobs.ago(seconds))
            .withCheckpointedAt(saved ? CaseJobs.NOW : null),
        members,
        List.of());
  }

  public World world() {
    Map<NodeId, Node> nodes = new HashMap<>();
    idle.forEach(n -> nodes.put(n.id(), n));
    QuotaTree uses = new QuotaTree(tree, List.of());
    for (World.LiveAttempt each : live.values()) {
      for (Member member : each.attempt().members()) {
        nodes.computeIfPresent(member.node(), (id, node) -> holding(node, member));
      }
      boolean nonPreemptible = each.job().spec().nonPreemptible();
      each.attempt()
          .charges()
          .forEach((cell, amount) -> uses.use(each.job().queue(), cell, amount, nonPreemptible));
    }
    return World.at(CaseJobs.NOW)
        .clusters(List.of(cluster))
        .nodes(idle.stream().map(n -> nodes.getOrDefault(n.id(), n)).toList())
        .quotaNodes(tree)
        .quotaUses(uses.uses())
        .pending(waiting.values().stream().map(CaseWorld::pending).toList())
        .live(List.copyOf(live.values()))
        .reservations(List.copyOf(kept.values()))
        .build();
  }

  private static PendingJob pending(Job job) {
    return new PendingJob(job, List.of(new PendingJob.Offer(0, 0, null)), List.of(), null);
  }

  public void carryOut(Plan plan) {
    for (Decision decision : plan.decisions()) {
      switch (decision) {
        case Decision.Place place -> start(place);
        case Decision.Preempt preempt -> {
          preempt.victims().forEach(this::evict);
          preempt.taken().forEach(taken -> kept.remove(taken.key(), taken));
          keep(preempt.reservation());
          preempt.moved().forEach(this::keep);
        }
        case Decision.Grow grow ->
            live.computeIfPresent(
                grow.attempt(), (id, l) -> with(l, joined(l.attempt().members(), grow.members())));
        case Decision.Shrink shrink ->
            live.computeIfPresent(shrink.attempt(), (id, l) -> leaving(l, shrink.members()));
        case Decision.MoveBack back -> {
          live.computeIfPresent(back.attempt(), (id, l) -> stopping(l));
          keep(back.reservation());
        }
        case Decision.Leftover leftover ->
            live.computeIfPresent(leftover.attempt(), (id, l) -> stopping(l));
        case Decision.Reserve reserve -> keep(reserve.reservation());
        case Decision.Release release -> kept.remove(release.reservation().key());
        case Decision.Ask ask -> throw new IllegalStateException("no checks: " + ask);
        case Decision.Expire expire -> waiting.remove(expire.job());
        case Decision.Hold hold -> {}
      }
    }
  }

  private void start(Decision.Place place) {
    Job job = waiting.remove(place.job());
    kept.remove(new Reservation.Key(place.job(), place.element()));
    place.taken().forEach(taken -> kept.remove(taken.key(), taken));
    if (job != null) {
      runs(job, new AttemptId(new UUID(8, live.size() + 1L)), 0, place.members());
    }
  }

  private void evict(Decision.Preempt.Eviction victim) {
    live.computeIfPresent(
        victim.attempt(),
        (id, l) -> victim.members().isEmpty() ? stopping(l) : leaving(l, victim.members()));
  }

  /** Ends stopping attempts, and their jobs do not wait again. */
  public void end() {
    live.values().removeIf(each -> each.attempt().stop() != null);
  }

  /** Removes leaving attempts and members, and their jobs wait again. */
  public void leave() {
    for (World.LiveAttempt each : List.copyOf(live.values())) {
      Job job = each.job();
      if (staying.contains(job.id())) {
        continue;
      }
      List<Member> rest = each.attempt().members().stream().filter(m -> !m.leaves()).toList();
      if (each.attempt().stop() != null || rest.isEmpty()) {
        live.remove(each.attempt().id());
        waits(job);
      } else {
        live.put(each.attempt().id(), with(each, rest));
      }
    }
  }

  /** Running members that stay, and members of counted reservations of the job. */
  public List<Member> members(JobId job, Predicate<Reservation> counts) {
    List<Member> members = new ArrayList<>();
    for (World.LiveAttempt each : live.values()) {
      if (each.job().id().equals(job) && each.attempt().stop() == null) {
        each.attempt().members().stream().filter(m -> !m.leaves()).forEach(members::add);
      }
    }
    kept.values().stream()
        .filter(r -> r.job().equals(job) && counts.test(r))
        .forEach(r -> members.addAll(r.members()));
    return members;
  }

  private static World.LiveAttempt stopping(World.LiveAttempt live) {
    Attempt a = live.attempt();
    Attempt stopping =
        a.with()
            .status(
                AttemptStatus.of(AttemptState.STOPPING)
                    .with()
                    .launchedAt(a.launchedAt())
                    .startedAt(a.startedAt())
                    .unreachableSince(a.unreachableSince())
                    .stop(
                        new Attempt.StopOrder(
                            StopCause.PREEMPTION,
                            CaseJobs.NOW.plus(live.job().spec().preemption().stopsWithin()),
                            null))
                    .checkpointedAt(a.checkpointedAt())
                    .build())
            .left(List.of())
            .build();
    return new World.LiveAttempt(stopping, live.job());
  }

  private static World.LiveAttempt leaving(World.LiveAttempt live, List<MemberKey> members) {
    return with(
        live,
        live.attempt().members().stream()
            .map(m -> members.contains(MemberKey.of(m)) ? m.leaving(CaseJobs.NOW) : m)
            .toList());
  }

  private static World.LiveAttempt with(World.LiveAttempt live, List<Member> members) {
    return new World.LiveAttempt(live.attempt().with(members), live.job());
  }

  private static List<Member> joined(List<Member> members, List<Member> more) {
    List<Member> all = new ArrayList<>(members);
    all.addAll(more);
    return all;
  }

  private static Node holding(Node node, Member member) {
    List<Gpu> gpus = new ArrayList<>(node.gpus());
    for (GpuShare share : member.gpus()) {
      gpus.replaceAll(g -> g.index() == share.index() ? holding(g, share) : g);
    }
    ResourceVector allocated = node.allocated().plus(member.request());
    return node.withStatus(node.status().with().allocated(allocated).gpus(gpus).build());
  }

  private static Gpu holding(Gpu gpu, GpuShare share) {
    return new Gpu(
        gpu.index(),
        gpu.serial(),
        gpu.state(),
        gpu.allocatedMilli() + share.milli(),
        gpu.slices() | share.slices());
  }
}
