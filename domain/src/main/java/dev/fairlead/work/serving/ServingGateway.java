package dev.fairlead.work.serving;

import java.util.List;
import java.util.Optional;

/** The routes of services on one cluster. */
public interface ServingGateway {
  /** Of a cluster that has no gateway. */
  ServingGateway NONE = routes -> Optional.of(List.of());

  /**
   * Makes these the routes of the cluster, instead of all earlier ones, and returns what it has
   * counted since it began. A route without a replica on the cluster is left out. Harmless when
   * repeated. Never throws for what a cluster does.
   *
   * @return empty without an answer: earlier routes remain then
   */
  Optional<List<ServiceTraffic>> serve(List<ServiceRoute> routes);
}
