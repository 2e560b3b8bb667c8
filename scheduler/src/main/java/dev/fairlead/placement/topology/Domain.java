package dev.fairlead.placement.topology;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A domain with how many members of one wish it holds: the sum of what is below it, rounded down to
 * whole slices where slices must stay together at its level.
 */
final class Domain {
  private static final Comparator<Domain> LARGEST =
      Comparator.comparingLong((Domain d) -> -d.holds).thenComparing(d -> d.name);
  private static final Comparator<Domain> TIGHTEST =
      Comparator.comparingLong((Domain d) -> d.holds).thenComparing(d -> d.name);

  private final String name;
  private final List<Domain> parts;
  private final @Nullable Spot spot;
  private final long holds;

  private Domain(String name, List<Domain> parts, @Nullable Spot spot, long slice, long room) {
    this.name = name;
    this.parts = parts;
    this.spot = spot;
    holds = room / slice * slice;
  }

  long holds() {
    return holds;
  }

  /** The domain that consists of these nodes, which lie in one domain of the level. */
  static Domain of(String name, int level, int levels, List<Spot> spots, Wish wish) {
    List<Domain> parts = new ArrayList<>();
    if (level + 1 >= levels) {
      for (Spot spot : spots) {
        long room = Math.min(wish.count(), spot.holds(wish.member()));
        parts.add(new Domain(spot.name(), List.of(), spot, 1, room));
      }
    } else {
      below(level + 1, spots)
          .forEach((path, inside) -> parts.add(of(path, level + 1, levels, inside, wish)));
    }
    long room = parts.stream().mapToLong(p -> p.holds).sum();
    return new Domain(name, parts, null, level < 0 ? 1 : wish.sliceAt(level), room);
  }

  /** Nodes by their domain of a level. */
  static SortedMap<String, List<Spot>> below(int level, List<Spot> spots) {
    SortedMap<String, List<Spot>> domains = new TreeMap<>();
    for (Spot spot : spots) {
      domains
          .computeIfAbsent(String.join("/", spot.domain(level)), d -> new ArrayList<>())
          .add(spot);
    }
    return domains;
  }

  /** Of several the one with the least room that holds all; null when none does. */
  static @Nullable Domain tightest(List<Domain> domains, long count) {
    return domains.stream().filter(d -> d.holds >= count).min(TIGHTEST).orElse(null);
  }

  /** As few parts as possible, largest first, the last one as tight as possible. */
  void fill(long count, SortedMap<String, Long> places) {
    if (spot != null) {
      places.merge(spot.name(), count, Long::sum);
      return;
    }
    List<Domain> left = new ArrayList<>(parts);
    left.sort(LARGEST);
    long rest = count;
    while (rest > 0 && !left.isEmpty()) {
      Domain last = tightest(left, rest);
      Domain next = last == null ? left.getFirst() : last;
      long here = Math.min(rest, next.holds);
      next.fill(here, places);
      rest -= here;
      left.remove(next);
    }
  }
}
