package dev.fairlead.work.placement.elastic;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.placement.admission.Admission;
import dev.fairlead.work.placement.admission.Charges;
import dev.fairlead.work.placement.admission.Shortfall;
import dev.fairlead.work.placement.ledger.ClusterPart;
import dev.fairlead.work.placement.ordering.EquivalenceClass;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.shape.JobShape;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Capacity that waiting jobs could use: nodes by cluster part and model where quota admits the
 * jobs, and quota of the nodes of the tree that refuse them. No gang grows into this capacity and
 * no job moves back to it, so neither delays a waiting job.
 */
public final class PendingDemand {
  private final Admission admission;
  private final Set<EquivalenceClass> known = new LinkedHashSet<>();
  private final SortedMap<ClusterPart, Set<String>> models = new TreeMap<>();
  private final SortedMap<QuotaNodeId, Set<QuotaCell>> quota = new TreeMap<>();
  private final SortedMap<QuotaNodeId, Set<QuotaCell>> nominal = new TreeMap<>();
  private boolean evaluated;

  public PendingDemand(Admission admission) {
    this.admission = admission;
  }

  /** Records that jobs of a shape wait for nodes. */
  public void add(EquivalenceClass waiting) {
    known.add(waiting);
  }

  /** Computed once, when a gang would grow. A job that could never start has no demand. */
  private void evaluate() {
    if (!evaluated) {
      evaluated = true;
      for (EquivalenceClass waiting : known) {
        if (waiting.supported() && waiting.hopeless().isEmpty()) {
          waiting.assignments().forEach(assignment -> add(waiting.shape(), assignment));
        }
      }
    }
  }

  private void add(JobShape shape, FlavorAssignment assignment) {
    Charges charges = Charges.expected(shape.gang(), assignment, shape.gang().counts(0));
    List<Shortfall> refusals = admission.shortfalls(shape.queue(), charges);
    for (Shortfall refusal : refusals) {
      (refusal.nonPreemptible() ? nominal : quota)
          .computeIfAbsent(refusal.refusing().id(), q -> new LinkedHashSet<>())
          .add(refusal.cell());
    }
    if (refusals.isEmpty()) {
      models
          .computeIfAbsent(assignment.cluster().part(), part -> new LinkedHashSet<>())
          .addAll(assignment.models());
    }
  }

  /** Returns whether a waiting job could use nodes that the assignment's members could take. */
  public boolean wants(FlavorAssignment assignment) {
    evaluate();
    Set<String> wanted = models.get(assignment.cluster().part());
    return wanted != null
        && (wanted.contains(Flavor.CPU)
            || assignment.models().contains(Flavor.CPU)
            || assignment.models().stream().anyMatch(wanted::contains));
  }

  /** Returns whether a waiting job needs the quota that such charges of the queue would use up. */
  public boolean wants(QuotaNodeId queue, Charges charges) {
    evaluate();
    return wants(quota, queue, charges)
        || charges.nonPreemptible() && wants(nominal, queue, charges);
  }

  private boolean wants(
      SortedMap<QuotaNodeId, Set<QuotaCell>> from, QuotaNodeId queue, Charges charges) {
    if (from.isEmpty()) {
      return false;
    }
    QuotaTree tree = admission.tree();
    return Stream.concat(tree.path(queue).stream(), tree.fleetPath(queue).stream())
        .map(node -> from.getOrDefault(node.id(), Set.of()))
        .anyMatch(wanted -> charges.cells().keySet().stream().anyMatch(wanted::contains));
  }
}
