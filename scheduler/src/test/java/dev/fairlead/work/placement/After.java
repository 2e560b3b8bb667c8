package dev.fairlead.work.placement;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptLifecycle;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.AttemptStatus;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The world once a plan is applied: placed jobs run, hold nodes, GPUs and quota and no longer wait.
 */
public final class After {
  private After() {}

  public static World of(World world, Plan plan) {
    Map<NodeId, Node> nodes = new HashMap<>();
    world.nodes().forEach(n -> nodes.put(n.id(), n));
    QuotaTree tree = new QuotaTree(world.quotaNodes(), world.quotaUses());
    Map<JobId, PendingJob> pending = new HashMap<>();
    world.pending().forEach(p -> pending.put(p.job().id(), p));
    List<World.LiveAttempt> live = new ArrayList<>(world.live());
    Map<Reservation.Key, Reservation> reserved = new TreeMap<>();
    world.reservations().forEach(r -> reserved.put(r.key(), r));
    for (Decision decision : plan.decisions()) {
      switch (decision) {
        case Decision.Place place -> {
          reserved.remove(new Reservation.Key(place.job(), place.element()));
          place.taken().forEach(r -> reserved.remove(r.key(), r));
          PendingJob job = pending.get(place.job());
          pending.put(place.job(), without(job, place.element()));
          for (Member member : place.members()) {
            nodes.computeIfPresent(member.node(), (id, node) -> holding(node, member));
          }
          World.LiveAttempt started = started(world, job.job(), place, live.size());
          charge(tree, job.job(), started.attempt().charges());
          live.add(started);
        }
        case Decision.Preempt preempt -> {
          for (Decision.Preempt.Eviction victim : preempt.victims()) {
            live.replaceAll(l ->
                l.attempt().id().equals(victim.attempt())
                    ? victim.members().isEmpty() ? told(l, world) : told(l, victim.members(), world)
                    : l);
          }
          preempt.taken().forEach(r -> reserved.remove(r.key(), r));
          reserved.put(preempt.reservation().key(), preempt.reservation());
          preempt.moved().forEach(r -> reserved.put(r.key(), r));
        }
        case Decision.MoveBack back -> {
          live.replaceAll(l -> l.attempt().id().equals(back.attempt()) ? told(l, world) : l);
          reserved.put(back.reservation().key(), back.reservation());
        }
        case Decision.Leftover over ->
            live.replaceAll(l -> l.attempt().id().equals(over.attempt()) ? told(l, world) : l);
        case Decision.Reserve r -> reserved.put(r.reservation().key(), r.reservation());
        case Decision.Release r -> reserved.remove(r.reservation().key());
        case Decision.Shrink shrink ->
            live.replaceAll(l ->
                l.attempt().id().equals(shrink.attempt()) ? told(l, shrink.members(), world) : l);
        case Decision.Grow grow -> {
          for (Member member : grow.members()) {
            nodes.computeIfPresent(member.node(), (id, node) -> holding(node, member));
          }
          live.replaceAll(l -> l.attempt().id().equals(grow.attempt()) ? grown(l, grow) : l);
          Job job =
              live.stream()
                  .filter(l -> l.attempt().id().equals(grow.attempt()))
                  .findFirst()
                  .orElseThrow()
                  .job();
          charge(tree, job, Attempt.charges(grow.members()));
        }
        case Decision.Ask a -> throw new IllegalStateException("no checks: " + a);
        case Decision.Expire e -> pending.remove(e.job());
        case Decision.Hold hold -> {}
      }
    }
    return world.toBuilder()
        .nodes(world.nodes().stream().map(n -> nodes.get(n.id())).toList())
        .quotaUses(tree.uses())
        .pending(
            world.pending().stream()
                .map(p -> pending.get(p.job().id()))
                .filter(p -> p != null && !p.offers().isEmpty())
                .toList())
        .live(live)
        .reservations(List.copyOf(reserved.values()))
        .build();
  }

  /** The attempt with an order to leave. */
  private static void charge(QuotaTree tree, Job job, SortedMap<QuotaCell, Long> charges) {
    charges.forEach(
        (cell, amount) -> tree.use(job.queue(), cell, amount, job.spec().nonPreemptible()));
  }

  private static World.LiveAttempt told(World.LiveAttempt live, World world) {
    AttemptEvent stop =
        JobTransitions.stop(
            live.attempt(), StopCause.PREEMPTION, live.job().spec(), "preempted", world.asOf());
    return new World.LiveAttempt(
        AttemptLifecycle.apply(live.attempt(), stop, world.asOf()).orElseThrow(), live.job());
  }

  /** The attempt after these members were ordered to leave. */
  private static World.LiveAttempt told(
      World.LiveAttempt live, List<MemberKey> members, World world) {
    List<Member> told =
        live.attempt().members().stream()
            .map(m -> members.contains(MemberKey.of(m)) ? m.leaving(world.asOf()) : m)
            .toList();
    return new World.LiveAttempt(live.attempt().with(told), live.job());
  }

  /** Its new members run already. */
  private static World.LiveAttempt grown(World.LiveAttempt live, Decision.Grow grow) {
    List<Member> members = new ArrayList<>(live.attempt().members());
    members.addAll(grow.members());
    return new World.LiveAttempt(live.attempt().with(members), live.job());
  }

  /** The job after its start. */
  private static Job running(Job job, Instant now) {
    JobStatus run = new JobStatus(JobState.RUNNING, now, now, null, 1, 0, 0, null, null);
    return new Job(
        job.id(),
        job.tenant(),
        job.project(),
        job.queue(),
        job.name(),
        job.user(),
        job.spec(),
        job.priority(),
        job.createdAt(),
        run,
        job.array(),
        List.of(),
        job.version());
  }

  private static World.LiveAttempt started(World world, Job job, Decision.Place place, int number) {
    Attempt attempt =
        new Attempt(
            new AttemptId(new UUID(world.asOf().getEpochSecond(), number + 1L)),
            job.id(),
            place.element(),
            1,
            place.cluster(),
            1,
            world.asOf(),
            AttemptStatus.of(AttemptState.RUNNING).withStartedAt(world.asOf()),
            place.members(),
            List.of());
    return new World.LiveAttempt(attempt, running(job, world.asOf()));
  }

  private static PendingJob without(PendingJob job, int element) {
    return new PendingJob(
        job.job(),
        job.offers().stream().filter(o -> o.index() != element).toList(),
        job.unmet(),
        job.deadDependency());
  }

  private static Node holding(Node node, Member member) {
    List<Gpu> gpus = new ArrayList<>(node.gpus());
    for (GpuShare share : member.gpus()) {
      gpus.replaceAll(g ->
          g.index() == share.index()
              ? new Gpu(
                  g.index(),
                  g.serial(),
                  g.state(),
                  g.allocatedMilli() + share.milli(),
                  g.slices() | share.slices())
              : g);
    }
    return with(node, node.allocated().plus(member.request()), gpus);
  }

  public static Node with(Node node, ResourceVector allocated, List<Gpu> gpus) {
    return node.withStatus(node.status().with().allocated(allocated).gpus(gpus).build());
  }
}
