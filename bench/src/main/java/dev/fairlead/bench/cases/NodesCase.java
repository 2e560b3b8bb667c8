package dev.fairlead.bench.cases;

import dev.fairlead.placement.topology.Spot;
import dev.fairlead.placement.topology.Wish;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The nodes of a case in one topology, with what is taken on them already. */
final class NodesCase {
  private static final String PODS = "pods";

  private final List<String> levels;
  private final List<Spot> spots = new ArrayList<>();
  private final SortedMap<String, Value> rows = new TreeMap<>();

  /**
   * The usable nodes that have a label for every level.
   *
   * @param labels labels that a node must have
   */
  NodesCase(Value cluster, List<String> levels, Map<String, String> labels) {
    this.levels = levels;
    for (Value node : cluster.get("nodes").list()) {
      SortedMap<String, String> own = NodeRules.labels(node.get("labels"));
      boolean usable = node.get("ready").flag(true) && !node.get("cordoned").flag(false);
      if (usable
          && own.keySet().containsAll(levels)
          && own.entrySet().containsAll(labels.entrySet())) {
        SortedMap<String, Long> free = amounts(node.get("allocatable"));
        List<String> path = levels.stream().map(level -> own.getOrDefault(level, "")).toList();
        spots.add(new Spot(node.get("name").text(), path, free));
        rows.put(node.get("name").text(), node);
      }
    }
    takeOthers(cluster);
  }

  private void takeOthers(Value cluster) {
    for (Value pod : cluster.get("other_pods").list()) {
      String phase = pod.get("phase").text("Running");
      if (!phase.equals("Succeeded") && !phase.equals("Failed")) {
        String node = pod.get("node").text("");
        spots.stream().filter(s -> s.name().equals(node)).forEach(s -> s.take(member(pod), 1));
      }
    }
    for (String field :
        List.of("prior_usage_other_flavors", "prior_usage_same_flavor", "domain_usage")) {
      for (Value use : cluster.get(field).list()) {
        List<String> path = use.get("path").texts();
        SortedMap<String, Long> member = amounts(use.get("requests_per_task"));
        member.put(PODS, QuotaCase.amount(1));
        at(path).stream().limit(1).forEach(s -> s.take(member, use.get("count").count(1)));
      }
    }
  }

  /** Nodes of a domain, named by its whole path or only by the narrowest part of it. */
  List<Spot> at(List<String> path) {
    return spots.stream()
        .filter(s -> {
          List<String> own = s.domain(levels.size());
          return own.equals(path) || own.subList(own.size() - 1, own.size()).equals(path);
        })
        .toList();
  }

  List<Spot> spots() {
    return spots;
  }

  int levels() {
    return levels.size();
  }

  /** Base units of one task, its place among the pods of a node included. */
  static SortedMap<String, Long> member(Value task) {
    SortedMap<String, Long> member = amounts(task.get("requests"));
    member.merge(PODS, QuotaCase.amount(1), Math::max);
    return member;
  }

  private static SortedMap<String, Long> amounts(Value resources) {
    SortedMap<String, Long> all = new TreeMap<>();
    resources
        .fields()
        .forEach((resource, amount) -> all.put(resource, QuotaCase.amount(amount.number())));
    return all;
  }

  /** Level by its label; {@link Wish#NOWHERE} when absent. */
  int level(Value name) {
    return name.present() ? levels.indexOf(name.text()) : Wish.NOWHERE;
  }

  /** Whether every level that a request names exists. */
  boolean knows(Value topology) {
    List<Value> named = new ArrayList<>();
    for (String field : List.of("required_level", "preferred_level", "slice_level")) {
      named.add(topology.get(field));
    }
    topology.get("slice_layers").list().forEach(layer -> named.add(layer.get("level")));
    return named.stream().allMatch(n -> !n.present() || levels.contains(n.text()));
  }

  Wish wish(Value task, int count, Value topology) {
    List<Wish.Slice> slices = new ArrayList<>();
    if (topology.get("slice_level").present()) {
      slices.add(slice(topology.get("slice_level"), topology.get("slice_size").count(1)));
    }
    for (Value layer : topology.get("slice_layers").list()) {
      slices.add(slice(layer.get("level"), layer.get("size").count(1)));
    }
    return new Wish(
        count,
        member(task),
        level(topology.get("required_level")),
        level(topology.get("preferred_level")),
        slices,
        allowed(task));
  }

  private Wish.Slice slice(Value level, int size) {
    return new Wish.Slice(level(level), size);
  }

  private Predicate<Spot> allowed(Value task) {
    return spot -> {
      Value node = rows.get(spot.name());
      return node != null
          && NodeRules.bears(node.get("taints").list(), task.get("tolerations").list())
          && NodeRules.wants(task, NodeRules.labels(node.get("labels")), false);
    };
  }
}
