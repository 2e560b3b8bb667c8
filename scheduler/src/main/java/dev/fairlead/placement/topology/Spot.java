package dev.fairlead.placement.topology;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A node with what is free on it, and the domains that it lies in. */
public final class Spot {
  private final String name;
  private final List<String> path;
  private final SortedMap<String, Long> free;

  /**
   * A node.
   *
   * @param path its domain at every level, widest first
   * @param free base units by resource; a resource that is not named is not there
   */
  public Spot(String name, List<String> path, Map<String, Long> free) {
    this.name = name;
    this.path = List.copyOf(path);
    this.free = new TreeMap<>(free);
  }

  public String name() {
    return name;
  }

  /** Its domain at a level as a path from the widest, so that equal names do not meet. */
  public List<String> domain(int level) {
    return path.subList(0, Math.min(path.size(), level + 1));
  }

  /** Members that fit: the least over resources of free by asked. */
  long holds(Map<String, Long> member) {
    long least = Long.MAX_VALUE;
    for (Map.Entry<String, Long> asked : member.entrySet()) {
      if (asked.getValue() > 0) {
        long there = Math.max(0, free.getOrDefault(asked.getKey(), 0L));
        least = Math.min(least, there / asked.getValue());
      }
    }
    return least;
  }

  /** Takes room for members; a negative count gives it back. */
  public void take(Map<String, Long> member, long count) {
    member.forEach((resource, asked) -> free.merge(resource, -asked * count, Long::sum));
  }
}
