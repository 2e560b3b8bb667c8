package dev.fairlead.fleet.cluster.connection;

import java.util.Optional;

/** Decides which addresses that a user configured Fairlead may query. */
public interface AddressCheck {
  /** Returns why the Prometheus or the endpoint must not be queried, empty if it may be. */
  Optional<String> refuses(Prometheus prometheus);
}
