package dev.fairlead.work.placement.blockers;

import dev.fairlead.care.supply.SupplyOffer;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.gang.GangCapacity;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.routing.FlavorAssignments;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.placement.shape.Tiers;
import dev.fairlead.work.placement.topology.Levels;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.world.VolumePlaces;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Checks whether a job could run on an idle fleet with every node in service. Each role is checked
 * alone, so a finding is certain, but roles that do not fit together are not found.
 */
public final class NeverFits {
  private static final String PART = "pool and capacity type of a cluster";
  private static final String OTHER_BACKEND =
      "remove the cause, or allow a cluster with the backend FAIRLEAD in placement.clusters";

  private NeverFits() {}

  /**
   * Returns the request that no part of the fleet can meet. Empty also if an allowed cluster in
   * service has not reported its nodes yet.
   */
  public static Optional<Blocker> of(GangShape gang, Fleet fleet) {
    List<ClusterCapacity> allowed = new ArrayList<>();
    for (ClusterCapacity cluster : fleet.clusters()) {
      if (FlavorAssignments.allows(gang, cluster)) {
        allowed.add(cluster);
      }
    }
    if (allowed.isEmpty()) {
      return poolMayStillGetNodes(gang, fleet)
          ? Optional.empty()
          : Optional.of(noCluster(gang, fleet));
    }
    List<ClusterCapacity> accepting =
        allowed.stream().filter(part -> gang.refusedBy(part.cluster()).isEmpty()).toList();
    if (accepting.isEmpty()) {
      return Optional.of(
          never("no eligible cluster accepts it: " + refusing(gang, allowed), OTHER_BACKEND));
    }
    return of(gang, fleet, accepting)
        .map(blocker -> withBackends(refusing(gang, allowed), blocker));
  }

  private static Optional<Blocker> of(GangShape gang, Fleet fleet, List<ClusterCapacity> allowed) {
    if (allowed.stream().anyMatch(NeverFits::mayStillTellItsNodes)) {
      return Optional.empty();
    }
    for (PlacementSpec.JobTerm term : gang.placement().terms()) {
      String level = term.within();
      if (!level.equals(Levels.CLUSTER)
          && allowed.stream().allMatch(cluster -> cluster.levels().position(level) < 0)) {
        return Optional.of(unknownLevel(level, allowed, "correct within"));
      }
    }
    if (gang.roles().stream().allMatch(r -> someHolds(gang, r, allowed))) {
      return Optional.empty();
    }
    for (MemberShape role : gang.roles()) {
      Optional<Blocker> member = OneMember.neverFits(role, gang.drawnToNodes(), allowed);
      if (member.isPresent()) {
        return member.map(blocker -> withVolumes(gang, fleet, blocker));
      }
    }
    for (MemberShape role : gang.roles()) {
      Optional<Blocker> all = membersNeverFit(gang, role, allowed);
      if (all.isPresent()) {
        return all.map(blocker -> withVolumes(gang, fleet, blocker));
      }
    }
    return Optional.empty();
  }

  /** Names the clusters with a backend that refuses the job, and the request. */
  private static String refusing(GangShape gang, List<ClusterCapacity> allowed) {
    SortedSet<String> all = new TreeSet<>();
    for (ClusterCapacity part : allowed) {
      gang.refusedBy(part.cluster())
          .ifPresent(why -> all.add("cluster " + part.name() + " refuses it, because " + why));
    }
    return String.join("; ", all);
  }

  private static Blocker withBackends(String refusing, Blocker blocker) {
    return refusing.isEmpty()
        ? blocker
        : new Blocker(
            blocker.reason(),
            blocker.scope(),
            blocker.message() + "; " + refusing,
            blocker.numbers(),
            blocker.action() + ", or " + OTHER_BACKEND);
  }

  /**
   * Names the volumes, because their location leaves few candidate nodes and few nodes that a
   * provisioner may add.
   */
  private static Blocker withVolumes(GangShape gang, Fleet fleet, Blocker blocker) {
    if (!gang.drawnToNodes()) {
      return blocker;
    }
    String pools = suppliedElsewhere(gang, fleet);
    return new Blocker(
        blocker.reason(),
        blocker.scope(),
        blocker.message() + "; " + String.join(", ", gang.volumes()),
        blocker.numbers(),
        pools.isEmpty()
            ? blocker.action()
            : blocker.action()
                + ", or ask an administrator to add the labels to the supply of pool "
                + pools
                + " if its nodes carry them");
  }

  /**
   * Returns the pools of the cluster with provisioners that may add nodes, if these nodes are not
   * known to reach the volumes.
   */
  private static String suppliedElsewhere(GangShape gang, Fleet fleet) {
    SortedSet<String> pools = new TreeSet<>();
    for (SupplyOffer offer : fleet.offers()) {
      boolean open =
          fleet.clusters().stream()
              .anyMatch(part ->
                  part.cluster().id().equals(offer.cluster())
                      && FlavorAssignments.allows(gang.placement(), part.name())
                      && FlavorAssignments.allows(gang, offer.nodePool()));
      boolean reaches =
          offer.kind().labels().entrySet().containsAll(gang.placement().nodeLabels().entrySet());
      if (open && !reaches) {
        pools.add(offer.nodePool().name());
      }
    }
    return String.join(" or ", pools);
  }

  private static boolean someHolds(
      GangShape gang, MemberShape role, List<ClusterCapacity> allowed) {
    for (ClusterCapacity cluster : allowed) {
      for (String model : models(role, cluster)) {
        if (GangCapacity.builtHolds(cluster, gang, role, model)) {
          return true;
        }
      }
    }
    return false;
  }

  public static Blocker never(String message, String action) {
    return Blockers.of(Reason.NEVER_FITS, Blockers.FLEET, message, action);
  }

  public static Blocker never(String message, long needed, long largest, String action) {
    Blocker counted =
        Blockers.counted(Reason.NEVER_FITS, Blockers.FLEET, message, "largest", needed, largest);
    return new Blocker(
        counted.reason(), counted.scope(), counted.message(), counted.numbers(), action);
  }

  private static Blocker noCluster(GangShape gang, Fleet fleet) {
    if (fleet.clusters().isEmpty()) {
      return never("no cluster is registered", "an administrator registers a cluster");
    }
    String known =
        fleet.clusters().stream()
            .map(ClusterCapacity::name)
            .distinct()
            .collect(Collectors.joining(", "));
    List<ClusterCapacity> named =
        fleet.clusters().stream()
            .filter(c -> FlavorAssignments.allows(gang.placement(), c.name()))
            .toList();
    if (named.isEmpty() && !gang.volumes().isEmpty()) {
      return apart(gang);
    }
    if (named.isEmpty()) {
      String asked = String.join(", ", gang.placement().clusters());
      return never(
          "no cluster is named " + asked + "; there are " + known, "correct placement.clusters");
    }
    if (named.stream().noneMatch(c -> FlavorAssignments.allows(gang, c.pool()))) {
      return noPool(gang, named);
    }
    if (named.stream().anyMatch(c -> FlavorAssignments.allows(gang.with(Tiers.NONE), c))) {
      return never(
          "no tier of its queue's routing policy has eligible nodes",
          "use another queue, or ask an administrator to change the routing policy");
    }
    String types =
        gang.placement().capacity().stream()
            .map(CapacityType::name)
            .collect(Collectors.joining(" or "));
    return never("no eligible cluster has " + types + " capacity", "change placement.capacity");
  }

  /** Explains that no cluster, or no node, has all volumes of the job. */
  private static Blocker apart(GangShape gang) {
    String volumes = String.join(", ", gang.volumes());
    if (!gang.placement().clusters().contains(VolumePlaces.NO_NODE)) {
      return never(
          "no eligible cluster has all its volumes: " + volumes,
          "mount volumes of one cluster, and include that cluster in placement.clusters");
    }
    String own = Wording.labels(gang.placement().nodeLabels());
    return never(
        "no node reaches all its volumes"
            + (own.isEmpty() ? "" : " and carries " + own)
            + ": "
            + volumes,
        "mount volumes that one node reaches, and match its labels in placement.nodeLabels");
  }

  private static Blocker noPool(GangShape gang, List<ClusterCapacity> named) {
    if (gang.placement().pools().isEmpty()) {
      return never(
          "no eligible cluster has nodes for its tenant",
          "use other placement.clusters, or ask an administrator to change a pool");
    }
    GangShape any = gang.with(gang.placement().with().pools(List.of()).build(), gang.openTiers());
    SortedSet<String> known = new TreeSet<>();
    for (ClusterCapacity cluster : named) {
      NodePool pool = cluster.pool();
      if (pool != null && FlavorAssignments.allows(any, pool)) {
        known.add(pool.name());
      }
    }
    return never(
        "no eligible node is in pool "
            + String.join(" or ", gang.placement().pools())
            + (known.isEmpty() ? "" : "; there are nodes in " + String.join(", ", known)),
        "change placement.pools, or ask an administrator to change the selector of the pool");
  }

  /** The pool may get nodes that a cluster in service has not reported yet. */
  private static boolean poolMayStillGetNodes(GangShape gang, Fleet fleet) {
    boolean pooled = !gang.placement().pools().isEmpty() || !gang.tiers().policy().none();
    return pooled
        && fleet.clusters().stream()
            .anyMatch(c ->
                FlavorAssignments.allows(gang.placement(), c.name()) && mayStillTellItsNodes(c));
  }

  private static Optional<Blocker> membersNeverFit(
      GangShape gang, MemberShape role, List<ClusterCapacity> allowed) {
    GangCapacity best = new GangCapacity(0, 0, null, null);
    String model = Flavor.CPU;
    for (ClusterCapacity cluster : allowed) {
      for (String built : models(role, cluster)) {
        GangCapacity gangCapacity = GangCapacity.built(cluster, gang, role, built);
        if (gangCapacity.inDomain() >= role.minCount()) {
          return Optional.empty();
        }
        if (gangCapacity.inDomain() >= best.inDomain()) {
          best = gangCapacity;
          model = built;
        }
      }
    }
    boolean parts = allowed.stream().anyMatch(c -> !c.whole());
    String where = best.level() != null ? best.level() : parts ? PART : "cluster";
    if (best.level() != null && best.domain() == null) {
      return Optional.of(unknownLevel(best.level(), allowed, "correct topology"));
    }
    String message =
        "needs %s in one %s, the largest%s holds %d%s"
            .formatted(
                Wording.members(role, role.minCount(), model),
                where,
                where.equals(PART) ? "" : " " + where,
                Wording.count(role, best.inDomain()),
                allowed.stream().anyMatch(ClusterCapacity::keepsSpares)
                    ? " beside its spares"
                    : "");
    long needed = Wording.count(role, role.minCount());
    return Optional.of(
        never(message, needed, Wording.count(role, best.inDomain()), "request less"));
  }

  private static SortedSet<String> models(MemberShape role, ClusterCapacity cluster) {
    SortedSet<String> models = new TreeSet<>();
    if (!role.asksGpu()) {
      models.add(Flavor.CPU);
      return models;
    }
    for (String model : cluster.models()) {
      if (!model.equals(Flavor.CPU)) {
        models.add(model);
      }
    }
    return models;
  }

  private static Blocker unknownLevel(String level, List<ClusterCapacity> allowed, String action) {
    SortedSet<String> known = new TreeSet<>();
    allowed.forEach(c -> known.addAll(c.levels().names()));
    return never(
        "no eligible cluster has a topology level '%s'; existing levels: %s"
            .formatted(level, String.join(", ", known)),
        action);
  }

  /** Returns whether the idle nodes of the assignment can hold each role, checked alone. */
  public static boolean holds(GangShape gang, FlavorAssignment assignment) {
    return gang.roles().stream()
        .allMatch(r ->
            GangCapacity.builtHolds(
                assignment.cluster(), gang, r, assignment.models().get(r.role())));
  }

  /** Returns whether an allowed cluster in service has not reported its nodes yet. */
  public static boolean waitsForNodes(GangShape gang, Fleet fleet) {
    return fleet.clusters().stream()
        .anyMatch(c -> FlavorAssignments.allows(gang, c) && mayStillTellItsNodes(c));
  }

  private static boolean mayStillTellItsNodes(ClusterCapacity cluster) {
    return cluster.capacities().isEmpty() && cluster.cluster().state() != ClusterState.DISABLED;
  }
}
