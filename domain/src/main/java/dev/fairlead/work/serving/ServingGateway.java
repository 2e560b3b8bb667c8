package dev.fairlead.work.serving;

import java.util.List;

/** The routes of services on one cluster. */
public interface ServingGateway {
  /** Of a cluster that has no gateway. */
  ServingGateway NONE = routes -> List.of();

  /**
   * Makes these the routes of the cluster, instead of all earlier ones, and returns what it has
   * counted since it began. A route without a replica on the cluster is left out. Harmless when
   * repeated. Never throws for what a cluster does.
   */
  List<ServiceTraffic> serve(List<ServiceRoute> routes);
}
