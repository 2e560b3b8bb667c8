package dev.fairlead.work.placement.explain;

import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.placement.admission.Admission;
import dev.fairlead.work.placement.admission.Charges;
import dev.fairlead.work.placement.admission.Shortfall;
import dev.fairlead.work.placement.blockers.NeverFits;
import dev.fairlead.work.placement.blockers.QuotaBlockers;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.routing.FlavorAssignments;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.JobShape;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks whether the queue of a job could ever admit the request, in a flavor that could hold it,
 * on an idle fleet with all borrowing that the limits allow. Limits of other queues count only for
 * the amounts that they lend.
 */
final class NeverAfforded {
  private NeverAfforded() {}

  /**
   * Returns the shortfall of each flavor that could hold the job, in the order of clusters and
   * models. The result is empty if one flavor has enough, or if an allowed cluster has not reported
   * its nodes.
   */
  static List<Blocker> of(JobShape shape, Fleet fleet, Admission admission) {
    GangShape gang = shape.gang();
    List<FlavorAssignment> within = new ArrayList<>();
    List<FlavorAssignment> beyond = new ArrayList<>();
    for (FlavorAssignment assignment : FlavorAssignments.ever(gang, fleet)) {
      (neverMet(shape, assignment, admission).isEmpty() ? within : beyond).add(assignment);
    }
    if (beyond.isEmpty() // nodes are examined only for the few jobs that quota never admits
        || NeverFits.waitsForNodes(gang, fleet)
        || within.stream().anyMatch(r -> NeverFits.holds(gang, r))) {
      return List.of();
    }
    String queue = admission.tree().node(shape.queue()).map(QuotaNode::name).orElse("");
    return beyond.stream()
        .filter(r -> NeverFits.holds(gang, r))
        .flatMap(r -> neverMet(shape, r, admission).stream())
        .map(s -> QuotaBlockers.never(s, queue))
        .distinct()
        .toList();
  }

  private static List<Shortfall> neverMet(
      JobShape shape, FlavorAssignment assignment, Admission admission) {
    GangShape gang = shape.gang();
    return admission.neverMet(shape.queue(), Charges.expected(gang, assignment, gang.counts(0)));
  }
}
