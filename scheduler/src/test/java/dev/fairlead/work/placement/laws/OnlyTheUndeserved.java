package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.placement.share.Claim;
import dev.fairlead.work.placement.share.DeservedShares;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * In a group that divides its GPUs, a queue loses a job only if it has more than it deserves, even
 * without the jobs that it lost before, or more than it owns, to a queue that reclaims its own. No
 * queue takes more than it deserves, or more than it owns without {@code fairShare}. Uses worlds of
 * DividingScene, and judges the first preemption of plans without other starts or reservations.
 * Fails when FairVictimSearch compares dominant shares.
 */
final class OnlyTheUndeserved implements Law.Check {
  private static final QuotaCell GPUS =
      new QuotaCell(new Flavor("H100", CapacityType.RESERVED), "gpu");
  private static final double MILLI = 1000;
  private static final double EPSILON = 1e-6;

  @Override
  public Optional<String> broken(World world, Random random) {
    Planned planned = Planned.of(world);
    List<Decision.Preempt> preempts = Leaving.preempts(planned);
    boolean reserves =
        planned.plan().decisions().stream().anyMatch(Decision.Reserve.class::isInstance);
    if (preempts.isEmpty() || reserves || !planned.places().isEmpty()) {
      return Optional.empty();
    }
    Decision.Preempt first = preempts.getFirst();
    SortedMap<QuotaNodeId, Double> due = due(world);
    SortedMap<QuotaNodeId, List<Double>> lost = new TreeMap<>();
    for (Decision.Preempt.Eviction victim : first.victims()) {
      world.live().stream()
          .filter(l -> l.attempt().id().equals(victim.attempt()))
          .forEach(l ->
              lost.computeIfAbsent(l.job().queue(), q -> new ArrayList<>())
                  .add(l.attempt().charges().getOrDefault(GPUS, 0L) / MILLI));
    }
    QuotaTree tree = new QuotaTree(world.quotaNodes(), world.quotaUses());
    boolean owned = has(world, first, tree) <= owns(world, first, tree) + EPSILON;
    for (QuotaNodeId queue : lost.keySet()) {
      double all = lost.get(queue).stream().mapToDouble(d -> d).sum();
      double largest = lost.get(queue).stream().mapToDouble(d -> d).max().orElse(0);
      double left = tree.used(queue, GPUS) / MILLI - all + largest;
      double keeps = due.getOrDefault(queue, 0.0);
      if (left <= (owned ? Math.min(keeps, tree.nominal(queue, GPUS) / MILLI) : keeps) + EPSILON) {
        return Optional.of(
            "loses though it has no more than it deserves %s: %s".formatted(due, first));
      }
    }
    return takesTooMuch(world, first, tree, due);
  }

  private static Optional<String> takesTooMuch(
      World world, Decision.Preempt first, QuotaTree tree, SortedMap<QuotaNodeId, Double> due) {
    double has = has(world, first, tree);
    double owns = owns(world, first, tree);
    QuotaNode node = tree.node(taker(world, first)).orElseThrow();
    double most =
        node.preemption().fairShare() ? Math.max(due.getOrDefault(node.id(), 0.0), owns) : owns;
    return has <= most + EPSILON
        ? Optional.empty()
        : Optional.of("takes up to %s of %s: %s".formatted(has, most, first));
  }

  private static QuotaNodeId taker(World world, Decision.Preempt first) {
    return world.pending().stream()
        .filter(p -> p.job().id().equals(first.job()))
        .findFirst()
        .orElseThrow()
        .job()
        .queue();
  }

  /** GPUs of the preempting queue, including the job. */
  private static double has(World world, Decision.Preempt first, QuotaTree tree) {
    long asks = first.reservation().charges().getOrDefault(GPUS, 0L);
    return (tree.used(taker(world, first), GPUS) + asks) / MILLI;
  }

  private static double owns(World world, Decision.Preempt first, QuotaTree tree) {
    return tree.nominal(taker(world, first), GPUS) / MILLI;
  }

  /** Deserved share of each queue in the existing GPUs. */
  private static SortedMap<QuotaNodeId, Double> due(World world) {
    QuotaTree tree = new QuotaTree(world.quotaNodes(), world.quotaUses());
    SortedMap<QuotaNodeId, Double> wanted = new TreeMap<>();
    world
        .pending()
        .forEach(p ->
            wanted.merge(
                p.job().queue(),
                (double) p.job().spec().roles().getFirst().gpu().count(),
                Double::sum));
    List<QuotaNode> queues = world.quotaNodes().stream().filter(n -> n.parent() != null).toList();
    List<Claim> claims = new ArrayList<>();
    for (QuotaNode q : queues) {
      claims.add(
          new Claim(
              q.id().toString(),
              null,
              claims.size(),
              0,
              tree.nominal(q.id(), GPUS) / MILLI,
              Claim.UNLIMITED,
              q.weight() / MILLI,
              tree.used(q.id(), GPUS) / MILLI + wanted.getOrDefault(q.id(), 0.0)));
    }
    QuotaTree unused = new QuotaTree(world.quotaNodes(), List.of());
    double offered =
        queues.isEmpty() ? 0 : unused.available(queues.getFirst().parent(), GPUS) / MILLI;
    double fleet = world.nodes().stream().mapToLong(n -> n.gpus().size()).sum();
    SortedMap<String, Double> shares = DeservedShares.divide(Math.min(fleet, offered), claims);
    SortedMap<QuotaNodeId, Double> due = new TreeMap<>();
    queues.forEach(q -> due.put(q.id(), shares.getOrDefault(q.id().toString(), 0.0)));
    return due;
  }
}
