package dev.fairlead.placement.deserved;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A node with its GPUs one by one, and who sits on them. */
public final class Machine {
  private static final long WHOLE = 1000;

  private final String name;
  private final SortedMap<String, String> labels;
  private final SortedMap<String, Long> free;
  private final long[] gpus;
  private final long memoryMiB;
  private final boolean shareable;
  private final SortedMap<String, List<Integer>> seats = new TreeMap<>();

  /**
   * An empty node.
   *
   * @param free base units of everything but GPUs
   * @param memoryMiB memory of one GPU
   * @param shareable whether a GPU can be divided among tasks
   */
  public Machine(
      String name,
      Map<String, String> labels,
      Map<String, Long> free,
      int gpus,
      long memoryMiB,
      boolean shareable) {
    this.name = name;
    this.labels = new TreeMap<>(labels);
    this.free = new TreeMap<>(free);
    this.gpus = new long[gpus];
    Arrays.fill(this.gpus, WHOLE);
    this.memoryMiB = memoryMiB;
    this.shareable = shareable;
  }

  public String name() {
    return name;
  }

  String label(String key) {
    return labels.getOrDefault(key, "");
  }

  /** Idle thousandths of GPUs. */
  long idle() {
    long sum = 0;
    for (long gpu : gpus) {
      sum += gpu;
    }
    return sum;
  }

  /** Idle base units of a resource. */
  long idle(String resource) {
    return free.getOrDefault(resource, 0L);
  }

  void take(String resource, long amount) {
    free.merge(resource, -amount, Long::sum);
  }

  /** Seats a task if it fits; shared GPUs before idle ones, the fullest first. */
  public boolean seat(Part part) {
    for (Map.Entry<String, Long> need : part.needs().entrySet()) {
      if (need.getValue() > free.getOrDefault(need.getKey(), 0L)) {
        return false;
      }
    }
    if (!part.claims().stream().allMatch(claim -> claim.open(this))) {
      return false;
    }
    List<Integer> chosen = choose(part);
    if (chosen.size() < part.devices() || part.devices() > 0 && milli(part) < WHOLE && !shareable) {
      return false;
    }
    part.needs().forEach((resource, amount) -> free.merge(resource, -amount, Long::sum));
    chosen.forEach(gpu -> gpus[gpu] -= milli(part));
    part.claims().forEach(claim -> claim.join(this));
    seats.put(part.name(), chosen);
    return true;
  }

  /** Frees what a task takes here; nothing when it is not here. */
  public void leave(Part part) {
    List<Integer> chosen = seats.remove(part.name());
    if (chosen != null) {
      part.needs().forEach((resource, amount) -> free.merge(resource, amount, Long::sum));
      chosen.forEach(gpu -> gpus[gpu] += milli(part));
      part.claims().forEach(SharedClaim::leave);
    }
  }

  private List<Integer> choose(Part part) {
    List<Integer> fitting = new ArrayList<>();
    for (int gpu = 0; gpu < gpus.length; gpu++) {
      if (gpus[gpu] >= milli(part)) {
        fitting.add(gpu);
      }
    }
    fitting.sort((a, b) -> gpus[a] != gpus[b] ? Long.compare(gpus[a], gpus[b]) : a - b);
    return List.copyOf(fitting.subList(0, Math.min(part.devices(), fitting.size())));
  }

  private long milli(Part part) {
    return part.milli() >= 0
        ? part.milli()
        : Math.ceilDiv(-part.milli() * WHOLE, Math.max(1, memoryMiB));
  }
}
