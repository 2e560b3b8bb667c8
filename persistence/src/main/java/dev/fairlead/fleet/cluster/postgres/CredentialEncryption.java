package dev.fairlead.fleet.cluster.postgres;

import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.kernel.encryption.Envelope;
import dev.fairlead.kernel.encryption.Keyring;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.postgres.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Stored form of connections: a simulated one in plain text, a real one sealed, because it contains
 * credentials. The seal is bound to the cluster's id, so a connection cannot be used in another
 * row.
 */
@Component
class CredentialEncryption {
  private final Keyring keys;

  CredentialEncryption(Keyring keys) {
    this.keys = keys;
  }

  /** Content of a row: one of the two. */
  private record Stored(@Nullable List<FleetPool> fleet, @Nullable String sealed) {}

  /** Content of the seal. Only a Slurm connection has a user. */
  private record Opened(
      String server,
      String caData,
      @Nullable String token,
      @Nullable String clientCertificateData,
      @Nullable String clientKeyData,
      @Nullable String slurmUser) {}

  String seal(ClusterId cluster, Connection connection) {
    return switch (connection) {
      case Connection.Simulated simulated -> Json.write(new Stored(simulated.fleet(), null));
      case Connection.Kubernetes real ->
          Json.write(new Stored(null, sealed(cluster, opened(real))));
      case Connection.Slurm slurm -> Json.write(new Stored(null, sealed(cluster, opened(slurm))));
    };
  }

  Connection open(ClusterId cluster, String stored) {
    Stored row = Json.read(stored, Stored.class);
    if (row.sealed() != null) {
      return opened(cluster, row.sealed());
    }
    return new Connection.Simulated(row.fleet() == null ? List.of() : row.fleet());
  }

  private static Opened opened(Connection.Kubernetes real) {
    return new Opened(
        real.server(),
        real.caData(),
        text(real.token()),
        real.clientCertificateData(),
        text(real.clientKeyData()),
        null);
  }

  private static Opened opened(Connection.Slurm slurm) {
    return new Opened(
        slurm.server(), slurm.caData(), slurm.token().reveal(), null, null, slurm.user());
  }

  private String sealed(ClusterId cluster, Opened plain) {
    byte[] bytes = Json.write(plain).getBytes(StandardCharsets.UTF_8);
    return keys.seal(bytes, cluster.value().toString()).text();
  }

  private Connection opened(ClusterId cluster, String sealed) {
    byte[] bytes = keys.open(Envelope.parse(sealed), cluster.value().toString());
    Opened plain = Json.read(new String(bytes, StandardCharsets.UTF_8), Opened.class);
    if (plain.slurmUser() != null && plain.token() != null) {
      return new Connection.Slurm(
          plain.server(), plain.caData(), plain.slurmUser(), new Secret(plain.token()));
    }
    return new Connection.Kubernetes(
        plain.server(),
        plain.caData(),
        secret(plain.token()),
        plain.clientCertificateData(),
        secret(plain.clientKeyData()));
  }

  private static @Nullable String text(@Nullable Secret secret) {
    return secret == null ? null : secret.reveal();
  }

  private static @Nullable Secret secret(@Nullable String text) {
    return text == null ? null : new Secret(text);
  }
}
