package dev.fairlead.work.serving;

import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** The routes of services on one cluster. */
public interface ServingGateway {
  /** The gateway of a cluster without one. */
  ServingGateway NONE = routes -> Optional.of(List.of());

  /**
   * Replaces all earlier routes of the cluster, and returns the counts since the gateway began. A
   * route without a replica on the cluster is omitted. Harmless when repeated. Never throws when
   * the cluster fails.
   *
   * @return empty without a response: earlier routes remain then
   */
  Optional<List<ServiceTraffic>> serve(List<ServiceRoute> routes);

  /** Returns a number that rises when the cluster reports a different set of ready replicas. */
  default long changes() {
    return 0;
  }

  /** Returns this gateway with an empty response unless the condition holds. */
  default ServingGateway onlyIf(BooleanSupplier condition) {
    ServingGateway self = this;
    return new ServingGateway() {
      @Override
      public Optional<List<ServiceTraffic>> serve(List<ServiceRoute> routes) {
        return condition.getAsBoolean() ? self.serve(routes) : Optional.empty();
      }

      @Override
      public long changes() {
        return self.changes();
      }
    };
  }
}
