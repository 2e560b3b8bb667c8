package dev.fairlead.work.placement.consolidation;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.admission.Charges;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.placement.reservation.Reservations;
import dev.fairlead.work.placement.reservation.RunningAttempt;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Ends attempts after a window lowered an evicting quota limit below the current use. Only work
 * that was admitted while the limit was higher is considered: lowest priority first, then newest.
 * Attempts that must not be preempted stay.
 */
public final class QuotaLeftovers {
  private static final Comparator<RunningAttempt> CHEAPEST_FIRST =
      Comparator.comparingInt((RunningAttempt running) -> running.job().priority())
          .thenComparing(running -> running.attempt().createdAt(), Comparator.reverseOrder())
          .thenComparing(running -> running.attempt().id());

  private final World world;
  private final Reservations reservations;

  public QuotaLeftovers(World world, Reservations reservations) {
    this.world = world;
    this.reservations = reservations;
  }

  /**
   * Plans the nodes from the leaves up, because an attempt that ends below also frees quota above.
   */
  public List<Decision.Leftover> plan() {
    List<QuotaNode> nodes =
        world.quotaNodes().stream()
            .filter(node -> node.limits().stream().anyMatch(QuotaLeftovers::evicts))
            .sorted(
                Comparator.comparingInt((QuotaNode node) -> -node.depth())
                    .thenComparing(QuotaNode::id))
            .toList();
    List<Decision.Leftover> stopped = new ArrayList<>();
    if (nodes.isEmpty()) {
      return stopped;
    }
    QuotaTree tree = onceAllHaveLeft();
    List<RunningAttempt> left = new ArrayList<>();
    for (QuotaNode node : nodes) {
      node.limits().stream()
          .filter(QuotaLeftovers::evicts)
          .forEach(limit -> stop(tree, node.id(), limit, left));
    }
    for (RunningAttempt each : left) {
      Job job = each.job();
      stopped.add(new Decision.Leftover(job.id(), job.version(), each.attempt().id()));
    }
    return stopped;
  }

  private static boolean evicts(QuotaLimit limit) {
    return limit.evictLead() != null && !limit.windows().isEmpty();
  }

  private QuotaTree onceAllHaveLeft() {
    QuotaTree now = reservations.admission().tree();
    QuotaTree later = now.with(now.uses());
    reservations.attempts().all().stream()
        .filter(RunningAttempt::leaves)
        .filter(each -> later.node(each.job().queue()).isPresent())
        .forEach(each -> charges(each).free(later, each.job().queue()));
    return later;
  }

  private static Charges charges(RunningAttempt running) {
    return Charges.of(running.job(), running.charges());
  }

  private void stop(
      QuotaTree tree, QuotaNodeId node, QuotaLimit limit, List<RunningAttempt> stopped) {
    QuotaCell cell = new QuotaCell(limit.flavor(), limit.resource());
    if (over(tree, node, cell) <= 0) {
      return;
    }
    List<RunningAttempt> chosen = new ArrayList<>();
    for (RunningAttempt each : candidates(tree, node, limit, cell)) {
      long before = over(tree, node, cell);
      if (before > 0 && !stopped.contains(each)) {
        charges(each).free(tree, each.job().queue());
        if (over(tree, node, cell) < before) {
          chosen.add(each);
        } else {
          charges(each).use(tree, each.job().queue());
        }
      }
    }
    for (int i = chosen.size() - 2; i >= 0; i--) {
      RunningAttempt spared = chosen.get(i);
      charges(spared).use(tree, spared.job().queue());
      if (over(tree, node, cell) <= 0) {
        chosen.remove(i);
      } else {
        charges(spared).free(tree, spared.job().queue());
      }
    }
    stopped.addAll(chosen);
  }

  /** Returns the use beyond the limit that cannot be borrowed. */
  private static long over(QuotaTree tree, QuotaNodeId node, QuotaCell cell) {
    return Math.min(tree.borrowed(node, cell), -tree.availableInTree(node, cell));
  }

  private List<RunningAttempt> candidates(
      QuotaTree tree, QuotaNodeId node, QuotaLimit limit, QuotaCell cell) {
    QuotaLimit now = limit.at(world.asOf());
    return reservations.attempts().all().stream()
        .filter(each -> mayStop(each) && each.charges().getOrDefault(cell, 0L) > 0)
        .filter(each -> bounds(tree, node, each.job().queue()))
        .filter(each -> limit.evicts(each.attempt().createdAt(), now))
        .sorted(CHEAPEST_FIRST)
        .toList();
  }

  /**
   * Returns whether the node limits the queue, in the quota tree of its tenant or of the platform.
   */
  private static boolean bounds(QuotaTree tree, QuotaNodeId node, QuotaNodeId queue) {
    return Stream.concat(tree.path(queue).stream(), tree.fleetPath(queue).stream())
        .anyMatch(above -> above.id().equals(node));
  }

  private static boolean mayStop(RunningAttempt running) {
    return running.job().spec().preemption().allowed()
        && running.attempt().stop() == null
        && running.attempt().state() == AttemptState.RUNNING
        && running.leaving().isEmpty()
        && running.ran().compareTo(running.job().spec().preemption().minRuntime()) >= 0;
  }
}
