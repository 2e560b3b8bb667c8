package dev.fairlead.work.placement.blockers;

import dev.fairlead.care.health.quarantine.DomainQuarantine;
import dev.fairlead.care.health.quarantine.DomainQuarantineId;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.filter.Filters;
import dev.fairlead.work.placement.gang.GangCapacity;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.ledger.QuarantinedNode;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.MemberShape;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Explains which quarantined topology domains contain nodes that could take a job. The operator's
 * reason for a quarantine is not shown, because it is for operators only.
 */
public final class QuarantineBlockers {
  /** Maximum number of domains that are named individually. */
  private static final int NAMED = 3;

  private static final ZoneId UTC = ZoneId.of("UTC");

  private QuarantineBlockers() {}

  /**
   * A domain with nodes that could take the job now.
   *
   * @param cluster name of its cluster
   */
  private record Domain(DomainQuarantine quarantine, String cluster, int nodes) {
    static final Comparator<Domain> MOST_NODES =
        Comparator.comparingInt(Domain::nodes)
            .reversed()
            .thenComparing(Domain::cluster)
            .thenComparing(d -> d.quarantine().name());

    Domain oneMore() {
      return new Domain(quarantine, cluster, nodes + 1);
    }
  }

  /**
   * Costs work in proportion to the quarantined nodes, or to the cluster part for a job that is
   * bound to a domain.
   *
   * @param full assignments on which the job does not fit
   */
  public static Optional<Blocker> of(
      GangShape gang, List<FlavorAssignment> full, Fleet fleet, WorkBudget work) {
    Set<NodeId> nodes = new TreeSet<>();
    SortedMap<DomainQuarantineId, Domain> domains = new TreeMap<>();
    for (FlavorAssignment assignment : full) {
      for (QuarantinedNode node : missed(gang, assignment, fleet, work)) {
        if (nodes.add(node.capacity().node().id())) {
          for (DomainQuarantine each : node.domains()) {
            Domain one = new Domain(each, assignment.cluster().name(), 1);
            domains.merge(each.id(), one, (known, more) -> known.oneMore());
          }
        }
      }
    }
    return domains.isEmpty()
        ? Optional.empty()
        : Optional.of(
            of(nodes.size(), domains.values().stream().sorted(Domain.MOST_NODES).toList()));
  }

  /**
   * Returns the quarantined nodes that could take a member now, if each role would fit with them or
   * if a role has no other node at all.
   */
  private static Collection<QuarantinedNode> missed(
      GangShape gang, FlavorAssignment assignment, Fleet fleet, WorkBudget work) {
    ClusterCapacity cluster = assignment.cluster();
    List<QuarantinedNode> there = fleet.quarantined(cluster);
    if (there.isEmpty() || work.spent()) {
      return List.of();
    }
    SortedMap<Integer, QuarantinedNode> missed = new TreeMap<>();
    boolean enough = true;
    boolean nothingElse = false;
    for (MemberShape role : gang.roles()) {
      String model = assignment.models().get(role.role());
      List<NodeCapacity> closed = new ArrayList<>();
      for (QuarantinedNode node : there) {
        if (takes(cluster, node.capacity(), role, model)) {
          missed.put(node.capacity().rank(), node);
          closed.add(node.capacity());
        }
      }
      work.spend(GangCapacity.bound(gang, role) ? cluster.capacities().size() : there.size());
      nothingElse |= !closed.isEmpty() && cluster.summary(role, model).admitting() == 0;
      enough &=
          GangCapacity.nowWith(closed, cluster, gang, role, model).inDomain() >= role.minCount();
    }
    return enough || nothingElse ? missed.values() : List.of();
  }

  /** Returns whether a member would fit now if the node were open. */
  private static boolean takes(
      ClusterCapacity cluster, NodeCapacity capacity, MemberShape role, String model) {
    return (!role.asksGpu() || capacity.node().gpuModel().equals(model))
        && Filters.admit(cluster.cluster(), capacity.node(), role)
        && capacity.fits(role) > 0;
  }

  private static Blocker of(int nodes, List<Domain> domains) {
    Domain first = domains.getFirst();
    Instant until = first.quarantine().until();
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("domains", (long) domains.size());
    numbers.put("nodes", (long) nodes);
    numbers.put("beganAtEpochSeconds", first.quarantine().since().getEpochSecond());
    if (until != null) {
      numbers.put("endsAtEpochSeconds", until.getEpochSecond());
    }
    String text =
        domains.stream()
            .limit(NAMED)
            .map(QuarantineBlockers::text)
            .collect(Collectors.joining("; "));
    int more = domains.size() - NAMED;
    String rest =
        more > 0
            ? "; and %d more quarantined %s".formatted(more, more == 1 ? "domain" : "domains")
            : "";
    return new Blocker(
        Reason.QUARANTINED, Blockers.FLEET, text + rest, numbers, next(first, until != null));
  }

  private static String text(Domain domain) {
    Instant until = domain.quarantine().until();
    return "%s of %s is quarantined from %s %s: %d of its nodes could take it"
        .formatted(
            domain.quarantine().name(),
            domain.cluster(),
            Wording.time(domain.quarantine().since(), UTC),
            until == null ? "until it is released" : "to " + Wording.time(until, UTC),
            domain.nodes());
  }

  private static String next(Domain first, boolean ends) {
    return "%san operator releases it (fairlead node release --cluster %s --domain %s=%s --reason ...)"
        .formatted(
            ends ? "wait until it ends, or " : "",
            first.cluster(),
            first.quarantine().level(),
            first.quarantine().domain());
  }
}
