package dev.fairlead.care.health.service.dcgm;

import dev.fairlead.care.health.dcgm.GpuSample;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.kernel.identity.ClusterId;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Matches labels of machines with nodes. */
final class GpuNames {
  /** Longest name of a node. */
  private static final int LONGEST = 253;

  private GpuNames() {}

  /** Returns the names of the cluster's nodes among the labels of the samples. */
  static Set<String> nodes(HealthStore health, ClusterId cluster, List<GpuSample> samples) {
    return nodes(
        health,
        cluster,
        samples.stream()
            .flatMap(sample -> sample.nodes().stream())
            .filter(name -> name.length() <= LONGEST)
            .collect(Collectors.toSet()));
  }

  /** Returns the names of the cluster's nodes among these. */
  static Set<String> nodes(HealthStore health, ClusterId cluster, Collection<String> names) {
    return names.isEmpty()
        ? Set.of()
        : health.places(cluster, names).stream()
            .map(HealthStore.Place::name)
            .collect(Collectors.toSet());
  }
}
