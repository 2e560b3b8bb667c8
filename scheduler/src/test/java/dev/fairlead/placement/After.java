package dev.fairlead.placement;

import dev.fairlead.cluster.Gpu;
import dev.fairlead.cluster.Node;
import dev.fairlead.cluster.NodeId;
import dev.fairlead.job.Attempt;
import dev.fairlead.job.AttemptEvent;
import dev.fairlead.job.AttemptId;
import dev.fairlead.job.AttemptLifecycle;
import dev.fairlead.job.AttemptState;
import dev.fairlead.job.GpuShare;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobId;
import dev.fairlead.job.JobTransitions;
import dev.fairlead.job.Member;
import dev.fairlead.job.Reservation;
import dev.fairlead.job.StopCause;
import dev.fairlead.quota.QuotaCell;
import dev.fairlead.quota.QuotaTree;
import dev.fairlead.resources.ResourceNames;
import dev.fairlead.resources.ResourceVector;
import dev.fairlead.world.PendingJob;
import dev.fairlead.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The world once a plan is applied: what was placed holds nodes, GPUs and quota and no longer
 * waits.
 */
final class After {
  private After() {}

  static World of(World world, Plan plan) {
    Map<NodeId, Node> nodes = new HashMap<>();
    world.nodes().forEach(n -> nodes.put(n.id(), n));
    QuotaTree tree = new QuotaTree(world.quotaNodes(), world.quotaUses());
    Map<JobId, PendingJob> pending = new HashMap<>();
    world.pending().forEach(p -> pending.put(p.job().id(), p));
    Map<AttemptId, World.LiveAttempt> live = new LinkedHashMap<>();
    world.live().forEach(l -> live.put(l.attempt().id(), l));
    Map<Reservation.Key, Reservation> reserved = new TreeMap<>();
    world.reservations().forEach(r -> reserved.put(r.key(), r));
    for (Decision decision : plan.decisions()) {
      switch (decision) {
        case Decision.Place place -> {
          PendingJob job = pending.get(place.job());
          pending.put(place.job(), without(job, place.element()));
          for (Member member : place.members()) {
            nodes.computeIfPresent(member.node(), (id, node) -> holding(node, member, 1));
            charge(tree, job.job(), member, 1);
          }
          Attempt attempt = attempt(place, world.asOf());
          live.put(attempt.id(), new World.LiveAttempt(attempt, job.job()));
        }
        case Decision.Preempt preempt -> {
          preempt
              .victims()
              .forEach(v -> live.computeIfPresent(v.attempt(), (id, l) -> stopping(l, world)));
          reserved.put(preempt.reservation().key(), preempt.reservation());
        }
        case Decision.Reserve r -> reserved.put(r.reservation().key(), r.reservation());
        case Decision.Release r -> reserved.remove(new Reservation.Key(r.job(), r.element()));
        case Decision.Hold hold -> {}
      }
    }
    return new World(
        world.asOf(),
        world.clusters(),
        world.nodes().stream().map(n -> nodes.get(n.id())).toList(),
        world.quotaNodes(),
        tree.uses(),
        world.pending().stream()
            .map(p -> pending.get(p.job().id()))
            .filter(p -> !p.offers().isEmpty())
            .toList(),
        List.copyOf(live.values()),
        List.copyOf(reserved.values()));
  }

  /** All its members run since the plan. */
  private static Attempt attempt(Decision.Place place, Instant now) {
    return new Attempt(
        new AttemptId(
            new UUID(4, place.job().value().getLeastSignificantBits() * 1000 + place.element())),
        place.job(),
        place.element(),
        1,
        AttemptState.RUNNING,
        place.cluster(),
        1,
        now,
        now,
        null,
        null,
        null,
        null,
        place.members());
  }

  private static World.LiveAttempt stopping(World.LiveAttempt live, World world) {
    AttemptEvent stop =
        JobTransitions.stop(
            live.attempt(),
            StopCause.PREEMPTION,
            live.job().spec().preemption().gracePeriod(),
            "preempted",
            world.asOf());
    return new World.LiveAttempt(
        AttemptLifecycle.apply(live.attempt(), stop, world.asOf()).orElseThrow(), live.job());
  }

  /** The attempt of the job has ended; {@code again} whether the job waits once more. */
  static World ended(World world, JobId job, boolean again) {
    World.LiveAttempt gone =
        world.live().stream().filter(l -> l.job().id().equals(job)).findFirst().orElseThrow();
    Map<NodeId, Node> nodes = new LinkedHashMap<>();
    world.nodes().forEach(n -> nodes.put(n.id(), n));
    QuotaTree tree = new QuotaTree(world.quotaNodes(), world.quotaUses());
    for (Member member : gone.attempt().members()) {
      nodes.computeIfPresent(member.node(), (id, node) -> holding(node, member, -1));
      charge(tree, gone.job(), member, -1);
    }
    List<PendingJob> pending = new ArrayList<>(world.pending());
    if (again) {
      pending.add(
          new PendingJob(gone.job(), List.of(new PendingJob.Offer(0, 1, null)), List.of(), null));
    }
    return new World(
        world.asOf(),
        world.clusters(),
        List.copyOf(nodes.values()),
        world.quotaNodes(),
        tree.uses(),
        pending,
        world.live().stream().filter(l -> l != gone).toList(),
        world.reservations());
  }

  private static PendingJob without(PendingJob job, int element) {
    return new PendingJob(
        job.job(),
        job.offers().stream().filter(o -> o.index() != element).toList(),
        job.unmet(),
        job.deadDependency());
  }

  private static Node holding(Node node, Member member, int sign) {
    List<Gpu> gpus = new ArrayList<>(node.gpus());
    for (GpuShare share : member.gpus()) {
      gpus.replaceAll(g ->
          g.index() == share.index()
              ? new Gpu(g.index(), g.serial(), g.state(), g.allocatedMilli() + sign * share.milli())
              : g);
    }
    return with(node, node.allocated().plus(member.request().times(sign)), gpus);
  }

  static Node with(Node node, ResourceVector allocated, List<Gpu> gpus) {
    return new Node(
        node.id(),
        node.cluster(),
        node.name(),
        node.state(),
        node.gpuModel(),
        node.gpuMemoryMiB(),
        node.allocatable(),
        allocated,
        node.foreign(),
        node.labels(),
        node.taints(),
        node.topology(),
        node.bootId(),
        gpus,
        node.version());
  }

  private static void charge(QuotaTree tree, Job job, Member member, int sign) {
    for (String resource : List.of(ResourceNames.CPU, ResourceNames.MEMORY, ResourceNames.GPU)) {
      long amount = member.request().amount(resource);
      if (amount > 0) {
        QuotaCell cell = new QuotaCell(member.flavor(), resource);
        if (sign > 0) {
          tree.use(job.queue(), cell, amount);
        } else {
          tree.free(job.queue(), cell, amount);
        }
      }
    }
  }
}
