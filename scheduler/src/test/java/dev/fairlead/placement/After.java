package dev.fairlead.placement;

import dev.fairlead.cluster.Gpu;
import dev.fairlead.cluster.Node;
import dev.fairlead.cluster.NodeId;
import dev.fairlead.job.Attempt;
import dev.fairlead.job.AttemptId;
import dev.fairlead.job.AttemptState;
import dev.fairlead.job.GpuShare;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobId;
import dev.fairlead.job.Member;
import dev.fairlead.quota.QuotaTree;
import dev.fairlead.resources.ResourceVector;
import dev.fairlead.world.PendingJob;
import dev.fairlead.world.World;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The world once a plan is applied: what was placed runs, holds nodes, GPUs and quota and no longer
 * waits.
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
    for (Decision decision : plan.decisions()) {
      if (decision instanceof Decision.Place place) {
        PendingJob job = pending.get(place.job());
        pending.put(place.job(), without(job, place.element()));
        for (Member member : place.members()) {
          nodes.computeIfPresent(member.node(), (id, node) -> holding(node, member));
        }
        World.LiveAttempt started = started(world, job.job(), place, live.size());
        started
            .attempt()
            .charges()
            .forEach((cell, amount) -> tree.use(job.job().queue(), cell, amount));
        live.add(started);
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
        live);
  }

  private static World.LiveAttempt started(World world, Job job, Decision.Place place, int number) {
    Attempt attempt =
        new Attempt(
            new AttemptId(new UUID(5, number + 1L)),
            job.id(),
            place.element(),
            1,
            AttemptState.RUNNING,
            place.cluster(),
            1,
            world.asOf(),
            world.asOf(),
            null,
            null,
            null,
            null,
            place.members());
    return new World.LiveAttempt(attempt, job);
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
              ? new Gpu(g.index(), g.serial(), g.state(), g.allocatedMilli() + share.milli())
              : g);
    }
    return with(node, node.allocated().plus(member.request()), gpus);
  }

  public static Node with(Node node, ResourceVector allocated, List<Gpu> gpus) {
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
}
