package dev.fairlead.job;

import dev.fairlead.job.PlacementSpec.Numa;
import dev.fairlead.job.PlacementSpec.Segment;
import dev.fairlead.job.PlacementSpec.Spread;
import dev.fairlead.resources.CapacityType;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** The wishes of a placement, to be changed one by one; those that are not named stay. */
public final class PlacementWishes {
  private List<String> clusters;
  private List<String> pools;
  private List<CapacityType> capacity;
  private SortedMap<CapacityType, Duration> waits;
  private SortedMap<String, String> nodeLabels;
  private @Nullable TopologySpec topology;
  private @Nullable Segment segment;
  private @Nullable Spread spread;
  private @Nullable String jobClass;
  private List<String> avoidClasses;
  private Numa numa;

  PlacementWishes(PlacementSpec from) {
    clusters = from.clusters();
    pools = from.pools();
    capacity = from.capacity();
    waits = from.waits();
    nodeLabels = from.nodeLabels();
    topology = from.topology();
    segment = from.segment();
    spread = from.spread();
    jobClass = from.jobClass();
    avoidClasses = from.avoidClasses();
    numa = from.numa();
  }

  public PlacementWishes clusters(List<String> names) {
    clusters = names;
    return this;
  }

  public PlacementWishes pools(List<String> names) {
    pools = names;
    return this;
  }

  public PlacementWishes capacity(List<CapacityType> types) {
    capacity = types;
    return this;
  }

  public PlacementWishes waits(SortedMap<CapacityType, Duration> budgets) {
    waits = budgets;
    return this;
  }

  public PlacementWishes nodeLabels(SortedMap<String, String> labels) {
    nodeLabels = labels;
    return this;
  }

  public PlacementWishes topology(@Nullable TopologySpec wish) {
    topology = wish;
    return this;
  }

  public PlacementWishes segment(@Nullable Segment wish) {
    segment = wish;
    return this;
  }

  public PlacementWishes spread(@Nullable Spread wish) {
    spread = wish;
    return this;
  }

  public PlacementWishes jobClass(@Nullable String name) {
    jobClass = name;
    return this;
  }

  public PlacementWishes avoidClasses(List<String> names) {
    avoidClasses = names;
    return this;
  }

  public PlacementWishes numa(Numa wish) {
    numa = wish;
    return this;
  }

  public PlacementSpec spec() {
    return new PlacementSpec(
        clusters,
        pools,
        capacity,
        waits,
        nodeLabels,
        topology,
        segment,
        spread,
        jobClass,
        avoidClasses,
        numa);
  }
}
