package dev.fairlead.kernel.resources;

import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongBinaryOperator;

/**
 * An amount of every resource, in base units. Addition saturates. Amounts may become negative (an
 * over-committed node is a fact that is reported, not an error).
 *
 * @param cpuMilli thousandths of a core
 * @param memoryMiB mebibytes of host memory
 * @param gpuMilli thousandths of a GPU
 * @param pods number of pods
 * @param extended amounts of further resources by their Kubernetes name, in plain units
 */
public record ResourceVector(
    long cpuMilli, long memoryMiB, long gpuMilli, long pods, SortedMap<String, Long> extended) {
  public static final ResourceVector ZERO = of(0, 0, 0, 0);

  public ResourceVector {
    extended = Collections.unmodifiableSortedMap(new TreeMap<>(extended));
  }

  public static ResourceVector of(long cpuMilli, long memoryMiB, long gpuMilli, long pods) {
    return new ResourceVector(cpuMilli, memoryMiB, gpuMilli, pods, Collections.emptySortedMap());
  }

  public ResourceVector plus(ResourceVector other) {
    return combine(other, Saturating::plus);
  }

  public ResourceVector minus(ResourceVector other) {
    return combine(other, Saturating::minus);
  }

  public ResourceVector times(long n) {
    return combine(ZERO, (a, b) -> Saturating.times(a, n));
  }

  /**
   * Returns whether every amount is at most the amount in {@code room}. A resource missing in
   * {@code room} counts as zero.
   */
  public boolean fitsIn(ResourceVector room) {
    if (cpuMilli > room.cpuMilli
        || memoryMiB > room.memoryMiB
        || gpuMilli > room.gpuMilli
        || pods > room.pods) {
      return false;
    }
    return extended.entrySet().stream()
        .allMatch(e -> e.getValue() <= room.extended.getOrDefault(e.getKey(), 0L));
  }

  /**
   * The amount by its resource name: {@code cpu}, {@code memory}, {@code gpu}, {@code pods} or an
   * extended name.
   */
  public long amount(String resource) {
    return switch (resource) {
      case ResourceNames.CPU -> cpuMilli;
      case ResourceNames.MEMORY -> memoryMiB;
      case ResourceNames.GPU -> gpuMilli;
      case ResourceNames.PODS -> pods;
      default -> extended.getOrDefault(resource, 0L);
    };
  }

  /**
   * Returns the names that {@link #amount} knows in this vector: the four common names and those of
   * its extended amounts.
   */
  public SortedSet<String> names() {
    SortedSet<String> names = new TreeSet<>(extended.keySet());
    names.add(ResourceNames.CPU);
    names.add(ResourceNames.MEMORY);
    names.add(ResourceNames.GPU);
    names.add(ResourceNames.PODS);
    return names;
  }

  private ResourceVector combine(ResourceVector other, LongBinaryOperator op) {
    SortedMap<String, Long> more = extended;
    if (!extended.isEmpty() || !other.extended.isEmpty()) {
      more = new TreeMap<>();
      for (String name : extended.keySet()) {
        more.put(name, op.applyAsLong(extended.get(name), other.extended.getOrDefault(name, 0L)));
      }
      for (String name : other.extended.keySet()) {
        if (!extended.containsKey(name)) {
          more.put(name, op.applyAsLong(0L, other.extended.get(name)));
        }
      }
    }
    return new ResourceVector(
        op.applyAsLong(cpuMilli, other.cpuMilli),
        op.applyAsLong(memoryMiB, other.memoryMiB),
        op.applyAsLong(gpuMilli, other.gpuMilli),
        op.applyAsLong(pods, other.pods),
        more);
  }
}
