package dev.fairlead.bench.cases;

import dev.fairlead.placement.topology.DomainPlacer;
import dev.fairlead.placement.topology.Spot;
import dev.fairlead.placement.topology.Wish;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * {@code topology-placement}: task groups on nodes. Judged loosely, as the cases say: the same
 * groups find places, and those places meet the constraints.
 */
final class TopologyMode implements Mode {
  @Override
  public Verdict judge(Value scenario) {
    Value cluster = scenario.get("cluster");
    List<String> levels = cluster.get("topologies").list().getFirst().get("levels").texts();
    NodesCase nodes = new NodesCase(cluster, levels, NodeRules.labels(cluster.get("node_filter")));
    Value probe = scenario.get("probe");
    SortedMap<String, Boolean> found = new TreeMap<>();
    List<String> broken = new ArrayList<>();
    for (TaskGroup group : TaskGroup.of(probe.get("tasks").list(), false)) {
      Optional<List<Placed>> placed = place(nodes, group, probe.get("existing"));
      for (Value task : group.entries()) {
        found.put(task.get("name").text(), placed.isPresent());
      }
      placed.ifPresent(all -> broken.addAll(Placed.broken(nodes, all)));
      placed.ifPresent(all -> all.forEach(one -> one.take(nodes)));
    }
    Verdict same = Verdict.of(expected(scenario), found);
    return same.agrees() && !broken.isEmpty() ? Verdict.differs(broken.getFirst()) : same;
  }

  private static SortedMap<String, Boolean> expected(Value scenario) {
    SortedMap<String, Boolean> expected = new TreeMap<>();
    for (Value task : scenario.get("expect").get("tasks").list()) {
      expected.put(task.get("name").text(), task.get("placeable").flag(true));
    }
    return expected;
  }

  private static Optional<List<Placed>> place(NodesCase nodes, TaskGroup group, Value existing) {
    List<Wish> wishes = new ArrayList<>();
    List<SortedMap<String, Long>> kept = new ArrayList<>();
    for (int i = 0; i < group.entries().size(); i++) {
      Value task = group.entries().get(i);
      if (!nodes.knows(task.get("topology"))) {
        return Optional.empty();
      }
      Wish wish = nodes.wish(task, group.counts().get(i), task.get("topology"));
      SortedMap<String, Long> stays = Kept.of(nodes, task, existing, wish.count());
      kept.add(stays);
      wishes.add(Kept.rest(nodes, wish, stays, existing));
    }
    List<Integer> order = order(wishes);
    Kept.take(nodes, wishes, kept, 1);
    Optional<List<SortedMap<String, Long>>> places =
        new DomainPlacer(nodes.levels(), nodes.spots())
            .together(order.stream().map(wishes::get).toList());
    Kept.take(nodes, wishes, kept, -1);
    return places.map(all -> {
      List<Placed> placed = new ArrayList<>();
      for (int i = 0; i < order.size(); i++) {
        int entry = order.get(i);
        Value task = group.entries().get(entry);
        SortedMap<String, Long> whole = new TreeMap<>(kept.get(entry));
        all.get(i).forEach((node, count) -> whole.merge(node, count, Long::sum));
        placed.add(
            new Placed(nodes.wish(task, group.counts().get(entry), task.get("topology")), whole));
      }
      return placed;
    });
  }

  /** Fewest members first: a leader is placed before its workers. */
  private static List<Integer> order(List<Wish> wishes) {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < wishes.size(); i++) {
      order.add(i);
    }
    order.sort((a, b) -> Long.compare(wishes.get(a).count(), wishes.get(b).count()));
    return order;
  }

  /** Places of one wish. */
  record Placed(Wish wish, SortedMap<String, Long> places) {
    void take(NodesCase nodes) {
      nodes.spots().forEach(s -> s.take(wish.member(), places.getOrDefault(s.name(), 0L)));
    }

    /** The constraints that places do not meet, checked apart from the placing. */
    static List<String> broken(NodesCase nodes, List<Placed> all) {
      List<String> broken = new ArrayList<>();
      for (Placed placed : all) {
        long count = placed.places.values().stream().mapToLong(Long::longValue).sum();
        if (count != placed.wish.count()) {
          broken.add(count + " of " + placed.wish.count() + " placed");
        }
        int required = placed.wish.required();
        if (required >= 0 && placed.domains(nodes, required).size() > 1) {
          broken.add("more than one domain of the required level");
        }
        for (Wish.Slice slice : placed.wish.slices()) {
          if (placed.domains(nodes, slice.level()).values().stream()
              .anyMatch(n -> n % slice.size() != 0)) {
            broken.add("a slice of " + slice.size() + " is divided");
          }
        }
      }
      return broken;
    }

    private SortedMap<String, Long> domains(NodesCase nodes, int level) {
      SortedMap<String, Long> counts = new TreeMap<>();
      for (Spot spot : nodes.spots()) {
        long here = places.getOrDefault(spot.name(), 0L);
        if (here > 0) {
          counts.merge(String.join("/", spot.domain(level)), here, Long::sum);
        }
      }
      return counts;
    }
  }
}
