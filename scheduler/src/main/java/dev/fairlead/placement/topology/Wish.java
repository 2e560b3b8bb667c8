package dev.fairlead.placement.topology;

import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Members that want places.
 *
 * @param count members, 0 or more
 * @param member base units that each takes, by resource
 * @param required level of which one domain must hold all; {@link #NOWHERE} = none
 * @param preferred level of which one domain should hold all, else the next wider; {@link #NOWHERE}
 *     = none
 * @param slices groups of so many members that must not be divided over domains of a level
 * @param allowed nodes that a member can run on
 */
public record Wish(
    long count,
    SortedMap<String, Long> member,
    int required,
    int preferred,
    List<Slice> slices,
    Predicate<Spot> allowed) {
  public static final int NOWHERE = -1;

  /** Members in multiples of {@code size} in each domain of a level. */
  public record Slice(int level, long size) {}

  public Wish {
    member = Collections.unmodifiableSortedMap(new TreeMap<>(member));
    slices = slices.stream().sorted(Comparator.comparingInt(Slice::level)).toList();
  }

  /** The same with fewer or more members. */
  public Wish of(long members) {
    return new Wish(members, member, required, preferred, slices, allowed);
  }

  /** The same on fewer nodes. */
  public Wish only(Predicate<Spot> nodes) {
    return new Wish(count, member, required, preferred, slices, allowed.and(nodes));
  }

  /** The same in any domain and without slices. */
  public Wish unbound() {
    return new Wish(count, member, NOWHERE, NOWHERE, List.of(), allowed);
  }

  /** Size of the slice at a level; 1 when there is none. */
  long sliceAt(int level) {
    return slices.stream()
        .filter(s -> s.level() == level)
        .mapToLong(Slice::size)
        .findFirst()
        .orElse(1);
  }

  /** A slice wider than the domain that must hold all could not be kept whole. */
  boolean contradictory() {
    return slices.stream().anyMatch(s -> s.level() < required || s.size() <= 0)
        || slices.stream().anyMatch(s -> count % s.size() != 0);
  }
}
