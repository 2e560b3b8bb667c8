package dev.fairlead.placement.explain;

import dev.fairlead.job.PlacementSpec;
import dev.fairlead.job.TopologySpec;
import dev.fairlead.resources.CapacityType;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A placement with one wish changed. */
final class Placements {
  private Placements() {}

  static PlacementSpec topology(PlacementSpec p, @Nullable TopologySpec topology) {
    return new PlacementSpec(
        p.clusters(),
        p.capacity(),
        p.waits(),
        p.nodeLabels(),
        topology,
        p.segment(),
        p.spread(),
        p.jobClass(),
        p.avoidClasses(),
        p.numa());
  }

  static PlacementSpec clusters(PlacementSpec p, List<String> clusters) {
    return new PlacementSpec(
        clusters,
        p.capacity(),
        p.waits(),
        p.nodeLabels(),
        p.topology(),
        p.segment(),
        p.spread(),
        p.jobClass(),
        p.avoidClasses(),
        p.numa());
  }

  static PlacementSpec capacity(PlacementSpec p, List<CapacityType> capacity) {
    return new PlacementSpec(
        p.clusters(),
        capacity,
        p.waits(),
        p.nodeLabels(),
        p.topology(),
        p.segment(),
        p.spread(),
        p.jobClass(),
        p.avoidClasses(),
        p.numa());
  }

  static PlacementSpec withoutWaits(PlacementSpec p) {
    return new PlacementSpec(
        p.clusters(),
        p.capacity(),
        Collections.emptySortedMap(),
        p.nodeLabels(),
        p.topology(),
        p.segment(),
        p.spread(),
        p.jobClass(),
        p.avoidClasses(),
        p.numa());
  }

  static PlacementSpec withoutLabels(PlacementSpec p) {
    return new PlacementSpec(
        p.clusters(),
        p.capacity(),
        p.waits(),
        Collections.emptySortedMap(),
        p.topology(),
        p.segment(),
        p.spread(),
        p.jobClass(),
        p.avoidClasses(),
        p.numa());
  }

  static PlacementSpec withoutSegment(PlacementSpec p) {
    return new PlacementSpec(
        p.clusters(),
        p.capacity(),
        p.waits(),
        p.nodeLabels(),
        p.topology(),
        null,
        p.spread(),
        p.jobClass(),
        p.avoidClasses(),
        p.numa());
  }

  static PlacementSpec withoutSpread(PlacementSpec p) {
    return new PlacementSpec(
        p.clusters(),
        p.capacity(),
        p.waits(),
        p.nodeLabels(),
        p.topology(),
        p.segment(),
        null,
        p.jobClass(),
        p.avoidClasses(),
        p.numa());
  }
}
