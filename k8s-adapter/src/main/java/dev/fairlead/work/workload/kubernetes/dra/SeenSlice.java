package dev.fairlead.work.workload.kubernetes.dra;

import dev.fairlead.fleet.cluster.connection.PodDevices;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSliceSpec;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * GPUs of a ResourceSlice. Only the slices of the highest generation of a pool are valid, because a
 * driver replaces the slices of a pool one by one.
 *
 * @param count slices that the pool has in this generation
 */
public record SeenSlice(
    String name, String pool, long generation, long count, List<PublishedGpu> gpus) {
  public SeenSlice {
    gpus = List.copyOf(gpus);
  }

  /** Reads a slice, null for a slice of another driver. */
  public static @Nullable SeenSlice of(ResourceSlice slice, PodDevices form) {
    String driver = form.requiredDriver();
    ResourceSliceSpec spec = slice.getSpec();
    if (spec == null || spec.getPool() == null || !driver.equals(spec.getDriver())) {
      return null;
    }
    String pool = spec.getPool().getName();
    List<PublishedGpu> gpus =
        spec.getDevices() == null
            ? List.of()
            : spec.getDevices().stream()
                .map(device ->
                    PublishedGpu.of(
                        driver,
                        form.claimsSlices(),
                        pool,
                        spec.getNodeName() == null ? device.getNodeName() : spec.getNodeName(),
                        device))
                .flatMap(Optional::stream)
                .toList();
    Long generation = spec.getPool().getGeneration();
    Long count = spec.getPool().getResourceSliceCount();
    return new SeenSlice(
        slice.getMetadata().getName(),
        pool,
        generation == null ? 0 : generation,
        count == null ? 1 : count,
        gpus);
  }

  SortedSet<String> nodes() {
    SortedSet<String> nodes = new TreeSet<>();
    gpus.forEach(gpu -> nodes.add(gpu.node()));
    return nodes;
  }
}
