package dev.fairlead.care.health.service.dcgm;

import dev.fairlead.care.health.dcgm.GpuSample;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.kernel.identity.ClusterId;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Matches labels of machines with nodes. */
final class GpuNames {
  /** Other labels, such as one with a NUL, must not reach the database. */
  private static final Predicate<String> NAME =
      Pattern.compile("[0-9a-zA-Z._-]{1,253}").asMatchPredicate();

  private GpuNames() {}

  /** Returns the names of the cluster's nodes among the labels of the samples. */
  static Set<String> nodes(HealthStore health, ClusterId cluster, List<GpuSample> samples) {
    return nodes(
        health,
        cluster,
        samples.stream().flatMap(sample -> sample.nodes().stream()).collect(Collectors.toSet()));
  }

  /** Returns the names of the cluster's nodes among these. */
  static Set<String> nodes(HealthStore health, ClusterId cluster, Collection<String> names) {
    Set<String> possible = names.stream().filter(NAME).collect(Collectors.toSet());
    return possible.isEmpty()
        ? Set.of()
        : health.places(cluster, possible).stream()
            .map(HealthStore.Place::name)
            .collect(Collectors.toSet());
  }
}
