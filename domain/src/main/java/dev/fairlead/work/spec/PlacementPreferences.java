package dev.fairlead.work.spec;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Money;
import dev.fairlead.work.spec.PlacementSpec.Numa;
import dev.fairlead.work.spec.PlacementSpec.Segment;
import dev.fairlead.work.spec.PlacementSpec.Spread;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Changes the preferences of a placement one by one. Unnamed ones stay. */
public final class PlacementPreferences {
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
  private @Nullable Money maxPricePerGpuHour;
  private @Nullable Money maxCost;
  private List<PlacementSpec.JobTerm> near;
  private List<PlacementSpec.JobTerm> away;

  PlacementPreferences(PlacementSpec from) {
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
    maxPricePerGpuHour = from.maxPricePerGpuHour();
    maxCost = from.maxCost();
    near = from.near();
    away = from.away();
  }

  public PlacementPreferences clusters(List<String> names) {
    clusters = names;
    return this;
  }

  public PlacementPreferences pools(List<String> names) {
    pools = names;
    return this;
  }

  public PlacementPreferences capacity(List<CapacityType> types) {
    capacity = types;
    return this;
  }

  public PlacementPreferences waits(SortedMap<CapacityType, Duration> budgets) {
    waits = budgets;
    return this;
  }

  public PlacementPreferences nodeLabels(SortedMap<String, String> labels) {
    nodeLabels = labels;
    return this;
  }

  public PlacementPreferences topology(@Nullable TopologySpec wish) {
    topology = wish;
    return this;
  }

  public PlacementPreferences segment(@Nullable Segment wish) {
    segment = wish;
    return this;
  }

  public PlacementPreferences spread(@Nullable Spread wish) {
    spread = wish;
    return this;
  }

  public PlacementPreferences jobClass(@Nullable String name) {
    jobClass = name;
    return this;
  }

  public PlacementPreferences avoidClasses(List<String> names) {
    avoidClasses = names;
    return this;
  }

  public PlacementPreferences numa(Numa wish) {
    numa = wish;
    return this;
  }

  public PlacementPreferences maxPricePerGpuHour(@Nullable Money cap) {
    maxPricePerGpuHour = cap;
    return this;
  }

  public PlacementPreferences maxCost(@Nullable Money cap) {
    maxCost = cap;
    return this;
  }

  public PlacementPreferences near(List<PlacementSpec.JobTerm> terms) {
    near = terms;
    return this;
  }

  public PlacementPreferences away(List<PlacementSpec.JobTerm> terms) {
    away = terms;
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
        numa,
        maxPricePerGpuHour,
        maxCost,
        near,
        away);
  }
}
