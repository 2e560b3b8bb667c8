package dev.fairlead.fleet.cluster;

import java.util.Optional;

/** Which addresses of a user Fairlead may ask. */
public interface AddressCheck {
  /** Why the Prometheus may not be asked; empty when it may. */
  Optional<String> refuses(Prometheus prometheus);
}
