package dev.fairlead.work.workload.kubernetes.dra;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The slices of a pool. A driver replaces them one by one, and kube-scheduler allocates no device
 * of a pool before it has {@code resourceSliceCount} slices of its newest generation
 * (https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation). Until then
 * the pool has the GPUs of its last complete generation.
 */
final class SlicePool {
  private static final Comparator<SeenSlice> OLDEST_FIRST =
      Comparator.comparingLong(SeenSlice::generation).thenComparing(SeenSlice::name);

  private final SortedMap<Long, SortedMap<String, SeenSlice>> generations = new TreeMap<>();
  private final Map<String, SortedSet<SeenSlice>> nodes = new HashMap<>();

  /** GPUs of the last complete generation by node, while the newest is incomplete. */
  private SortedMap<String, SortedMap<DeviceRef, PublishedGpu>> last = new TreeMap<>();

  /** Returns the nodes with other GPUs than before. */
  SortedSet<String> change(@Nullable SeenSlice before, @Nullable SeenSlice now) {
    boolean whole = complete();
    long generation = newest();
    SortedSet<String> changed = new TreeSet<>(last.keySet());
    remove(before);
    add(now);
    if (complete() || generations.isEmpty()) {
      last = new TreeMap<>();
    } else if (whole) {
      last = byNode(beforeChange(generation, before, now));
    }
    if (whole == complete() && generation == newest()) {
      changed.clear();
    } else {
      changed.addAll(nodes.keySet());
    }
    Stream.of(before, now).filter(Objects::nonNull).forEach(slice -> changed.addAll(slice.nodes()));
    return changed;
  }

  private void add(@Nullable SeenSlice slice) {
    if (slice != null) {
      generations
          .computeIfAbsent(slice.generation(), g -> new TreeMap<>())
          .put(slice.name(), slice);
      slice
          .nodes()
          .forEach(
              node -> nodes.computeIfAbsent(node, n -> new TreeSet<>(OLDEST_FIRST)).add(slice));
    }
  }

  private void remove(@Nullable SeenSlice slice) {
    SortedMap<String, SeenSlice> others =
        slice == null ? null : generations.get(slice.generation());
    if (slice == null || others == null || others.remove(slice.name()) == null) {
      return;
    }
    if (others.isEmpty()) {
      generations.remove(slice.generation());
    }
    for (String node : slice.nodes()) {
      SortedSet<SeenSlice> its = nodes.get(node);
      if (its != null && its.remove(slice) && its.isEmpty()) {
        nodes.remove(node);
      }
    }
  }

  private Stream<SeenSlice> beforeChange(
      long generation, @Nullable SeenSlice before, @Nullable SeenSlice now) {
    return Stream.concat(
        of(generation).values().stream().filter(slice -> !slice.equals(now)),
        Stream.ofNullable(before).filter(slice -> slice.generation() == generation));
  }

  private static SortedMap<String, SortedMap<DeviceRef, PublishedGpu>> byNode(
      Stream<SeenSlice> slices) {
    SortedMap<String, SortedMap<DeviceRef, PublishedGpu>> all = new TreeMap<>();
    slices
        .flatMap(slice -> slice.gpus().stream())
        .forEach(gpu -> all.computeIfAbsent(gpu.node(), n -> new TreeMap<>()).put(gpu.ref(), gpu));
    return all;
  }

  private SortedMap<String, SeenSlice> of(long generation) {
    return generations.getOrDefault(generation, Collections.emptySortedMap());
  }

  private SortedSet<SeenSlice> at(String node) {
    return nodes.getOrDefault(node, Collections.emptySortedSet());
  }

  private long newest() {
    return generations.isEmpty() ? 0 : generations.lastKey();
  }

  /** Returns whether all slices of the newest generation have been read. */
  boolean complete() {
    SortedMap<String, SeenSlice> newest = of(newest());
    return !newest.isEmpty() && newest.size() >= newest.firstEntry().getValue().count();
  }

  boolean isEmpty() {
    return generations.isEmpty();
  }

  /** Returns whether all slices of a generation have been read. */
  boolean known() {
    return complete() || !last.isEmpty();
  }

  /** Returns whether the pool contains GPUs of the node. */
  boolean has(String node) {
    return nodes.containsKey(node) || last.containsKey(node);
  }

  SortedSet<String> nodes() {
    SortedSet<String> all = new TreeSet<>(nodes.keySet());
    all.addAll(last.keySet());
    return all;
  }

  /** Its GPUs of the node. The taint of a GPU is the newest that was published. */
  Collection<PublishedGpu> gpus(String node) {
    SortedMap<DeviceRef, PublishedGpu> gpus =
        new TreeMap<>(last.getOrDefault(node, Collections.emptySortedMap()));
    boolean whole = complete();
    for (SeenSlice slice : at(node)) {
      if (whole && slice.generation() != newest()) {
        continue;
      }
      for (PublishedGpu gpu : slice.gpus()) {
        PublishedGpu known = gpus.get(gpu.ref());
        boolean same = known != null && known.uuid().equals(gpu.uuid());
        if (gpu.node().equals(node) && (last.isEmpty() || same)) {
          gpus.put(gpu.ref(), gpu);
        }
      }
    }
    return gpus.values();
  }

  /** The GPU of that name, null if none is published. */
  @Nullable PublishedGpu find(DeviceRef ref) {
    return nodes().stream()
        .flatMap(node -> gpus(node).stream())
        .filter(gpu -> gpu.ref().equals(ref))
        .findFirst()
        .orElse(null);
  }
}
