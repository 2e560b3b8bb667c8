package dev.fairlead.work.workload.judgement;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.judgement.PlaceTransitions.Place;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Places for members with pods that another scheduler has bound to other nodes than planned. Pure.
 * A node may seem full because an unbound pod was planned there, so a member may have to wait for a
 * place until that pod is bound elsewhere.
 */
public final class BoundPlaces {
  private final Map<String, Node> nodes;

  /**
   * @param nodes nodes of the cluster
   */
  public BoundPlaces(Collection<Node> nodes) {
    Map<String, Node> byName = new TreeMap<>();
    nodes.forEach(node -> byName.put(node.name(), node));
    this.nodes = byName;
  }

  private record Moving(AttemptId attempt, Member member, Node to) {}

  /**
   * Returns whether a member holds its resources on another node than its pod's. The pod's node may
   * not be stored yet, for example if an autoscaler has just added it.
   */
  public boolean misplaced(Attempt attempt) {
    return attempt.live()
        && attempt.members().stream().anyMatch(m -> target(m) != null || awaited(m));
  }

  private boolean awaited(Member member) {
    return !member.dead() && !nodes.containsKey(member.nodeName()) && planned(member) != null;
  }

  private @Nullable Node target(Member member) {
    Node bound = member.dead() ? null : nodes.get(member.nodeName());
    return bound == null || bound.id().equals(member.node()) ? null : bound;
  }

  /**
   * Reason why the node of a pod must not run it, empty if it may.
   *
   * @return such as "worker-0 was bound to node a, which is quarantined"
   */
  public Optional<String> refused(Attempt attempt) {
    for (Member member : attempt.members()) {
      Node bound = target(member);
      Node planned = bound == null ? null : planned(member);
      String why = bound == null ? null : trouble(bound, planned);
      if (why != null) {
        return Optional.of(
            "the scheduler of the cluster bound "
                + member.key()
                + " to node "
                + member.nodeName()
                + ", which "
                + why);
      }
    }
    return Optional.empty();
  }

  private @Nullable Node planned(Member member) {
    return nodes.values().stream()
        .filter(node -> node.id().equals(member.node()))
        .findFirst()
        .orElse(null);
  }

  private static @Nullable String trouble(Node bound, @Nullable Node planned) {
    if (bound.state() == NodeState.QUARANTINED) {
      return "is quarantined";
    }
    if (planned == null) {
      return null;
    }
    if (!Objects.equals(planned.pool(), bound.pool())) {
      return "is in a different pool than the planned node";
    }
    return priced(bound, planned)
        ? null
        : "has another GPU model or capacity type than its quota was charged for";
  }

  private static boolean priced(Node bound, Node planned) {
    return planned.gpuModel().equals(bound.gpuModel())
        && Objects.equals(planned.capacity(), bound.capacity());
  }

  /** Returns whether the node has the quota, price and pool of the planned node. */
  private boolean alike(Member member, Node to) {
    Node planned = planned(member);
    return planned == null || Objects.equals(planned.pool(), to.pool()) && priced(to, planned);
  }

  /**
   * Returns the largest set of moves that is possible together: members may exchange their GPUs. A
   * member on a node with another price or pool stays where its quota was charged.
   *
   * @param attempts live attempts of the cluster
   */
  public Map<AttemptId, Map<MemberKey, Place>> of(Collection<Attempt> attempts) {
    List<Moving> moving = new ArrayList<>();
    for (Attempt attempt : attempts) {
      if (attempt.live()) {
        for (Member member : attempt.members()) {
          Node to = target(member);
          if (to != null && alike(member, to)) {
            moving.add(new Moving(attempt.id(), member, to));
          }
        }
      }
    }
    Map<AttemptId, Map<MemberKey, Place>> found = new TreeMap<>();
    List<Moving> left = moving;
    do {
      moving = left;
      found.clear();
      left = placed(moving, found);
    } while (left.size() < moving.size());
    return found;
  }

  /** Places the members and returns the placed ones. */
  private List<Moving> placed(List<Moving> moving, Map<AttemptId, Map<MemberKey, Place>> found) {
    Map<String, List<Gpu>> free = new TreeMap<>();
    SortedMap<NodeId, SortedSet<Integer>> released = new TreeMap<>();
    for (Moving each : moving) {
      each.member()
          .gpus()
          .forEach(gpu ->
              released
                  .computeIfAbsent(each.member().node(), n -> new TreeSet<>())
                  .add(gpu.index()));
    }
    List<Moving> placed = new ArrayList<>();
    for (Moving each : moving) {
      Member member = each.member();
      List<Gpu> there = free.computeIfAbsent(each.to().name(), name -> free(each.to(), released));
      int wanted = member.gpus().size();
      if (there.size() >= wanted) {
        List<Gpu> taken = List.copyOf(there.subList(0, wanted));
        there.removeAll(taken);
        List<GpuShare> shares =
            taken.stream().map(g -> new GpuShare(g.index(), g.serial(), Gpu.WHOLE_MILLI)).toList();
        found
            .computeIfAbsent(each.attempt(), id -> new TreeMap<>())
            .put(
                MemberKey.of(member),
                new Place(member.node(), each.to().id(), each.to().name(), shares));
        placed.add(each);
      }
    }
    return placed;
  }

  private static List<Gpu> free(Node node, SortedMap<NodeId, SortedSet<Integer>> released) {
    Set<Integer> here = released.getOrDefault(node.id(), Collections.emptySortedSet());
    return node.gpus().stream()
        .filter(gpu -> gpu.usable() && (gpu.allocatedMilli() == 0 || here.contains(gpu.index())))
        .collect(Collectors.toCollection(ArrayList::new));
  }
}
