package dev.fairlead.fleet.cluster.connection;

import dev.fairlead.kernel.keyring.Secret;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Connection to a cluster. It contains credentials, so it is never logged and never returned. */
public sealed interface Connection {
  /**
   * A Kubernetes API server.
   *
   * @param server https URL
   * @param caData PEM of its certificate authority, base64 as in a kubeconfig
   * @param token bearer token, or null if a client certificate is given
   */
  record Kubernetes(
      String server,
      String caData,
      @Nullable Secret token,
      @Nullable String clientCertificateData,
      @Nullable Secret clientKeyData)
      implements Connection {
    /** Returns the connection with another token. */
    public Kubernetes with(Secret another) {
      return new Kubernetes(server, caData, another, clientCertificateData, clientKeyData);
    }
  }

  /** A simulated cluster of these pools. */
  record Simulated(List<FleetPool> fleet) implements Connection {
    public Simulated {
      fleet = List.copyOf(fleet);
    }
  }
}
