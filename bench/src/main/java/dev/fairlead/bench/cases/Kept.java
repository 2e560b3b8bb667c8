package dev.fairlead.bench.cases;

import dev.fairlead.placement.topology.Spot;
import dev.fairlead.placement.topology.Wish;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Tasks of a running job that stay where they are while others of it find new places. */
final class Kept {
  private Kept() {}

  /** Tasks by node that stay: of a job with failed nodes, or of one that changes its size. */
  static SortedMap<String, Long> of(NodesCase nodes, Value task, Value existing, long most) {
    SortedMap<String, Long> kept = new TreeMap<>();
    List<String> failed = existing.get("failed_nodes").texts();
    long left = most;
    for (Value domain : placement(task, existing).get("domains").list()) {
      for (Spot spot : nodes.at(domain.get("path").texts()).stream().limit(1).toList()) {
        long here = Math.min(left, domain.get("count").count(1));
        if (!failed.contains(spot.name())
            && !failed.contains(spot.domain(nodes.levels()).getLast())) {
          kept.merge(spot.name(), here, Long::sum);
          left -= here;
        }
      }
    }
    kept.values().removeIf(count -> count <= 0);
    return kept;
  }

  private static Value placement(Value task, Value existing) {
    for (Value running : existing.get("tasks").list()) {
      if (running.get("name").text().equals(task.get("name").text())) {
        return running.get("placement");
      }
    }
    return task.get("previous_placement");
  }

  /**
   * What is left to place: in the domain of those that stay, and where slices miss members in the
   * domains of those.
   */
  static Wish rest(NodesCase nodes, Wish wish, SortedMap<String, Long> kept, Value existing) {
    List<String> failed = existing.get("failed_nodes").texts();
    Wish usable =
        wish.only(s ->
            !failed.contains(s.name()) && !failed.contains(s.domain(nodes.levels()).getLast()));
    if (kept.isEmpty()) {
      return usable;
    }
    long stay = kept.values().stream().mapToLong(Long::longValue).sum();
    List<Spot> homes = nodes.spots().stream().filter(s -> kept.containsKey(s.name())).toList();
    Wish rest = usable.unbound().of(wish.count() - stay);
    if (wish.required() >= 0) {
      List<String> domain = homes.getFirst().domain(wish.required());
      rest = rest.only(s -> s.domain(wish.required()).equals(domain));
    }
    for (Wish.Slice slice : wish.slices()) {
      List<List<String>> open = open(slice, homes, kept);
      rest = rest.only(s -> open.contains(s.domain(slice.level())));
    }
    return rest;
  }

  private static List<List<String>> open(
      Wish.Slice slice, List<Spot> homes, SortedMap<String, Long> kept) {
    List<List<String>> open = new ArrayList<>();
    for (Spot home : homes) {
      List<String> domain = home.domain(slice.level());
      long there =
          homes.stream()
              .filter(s -> s.domain(slice.level()).equals(domain))
              .mapToLong(s -> kept.getOrDefault(s.name(), 0L))
              .sum();
      if (there % slice.size() != 0) {
        open.add(domain);
      }
    }
    return open;
  }

  /** Takes the room of those that stay; a negative sign gives it back. */
  static void take(
      NodesCase nodes, List<Wish> wishes, List<SortedMap<String, Long>> kept, int sign) {
    for (int i = 0; i < wishes.size(); i++) {
      SortedMap<String, Long> places = kept.get(i);
      SortedMap<String, Long> member = wishes.get(i).member();
      nodes.spots().forEach(s -> s.take(member, sign * places.getOrDefault(s.name(), 0L)));
    }
  }
}
