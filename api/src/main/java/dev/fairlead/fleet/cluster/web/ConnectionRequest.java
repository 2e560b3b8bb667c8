package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.problem.ProblemCode;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/**
 * Connection to a Kubernetes API server with a token, or a client certificate and its key, or to
 * slurmrestd with a token.
 *
 * @param server https URL of the API server or of slurmrestd
 * @param caData base64 of its CA's PEM, as in a kubeconfig
 */
@Schema(name = "ConnectionRequest")
record ConnectionRequest(
    @JsonDeserialize(using = Part.class) String server,
    @JsonDeserialize(using = Part.class) String caData,
    @Schema(implementation = String.class) @JsonDeserialize(using = SecretPart.class)
        @Nullable Secret token,
    @JsonDeserialize(using = Part.class) @Nullable String clientCertificateData,
    @Schema(implementation = String.class) @JsonDeserialize(using = SecretPart.class)
        @Nullable Secret clientKeyData) {
  /** Reports fields that the connection to a cluster of this kind lacks or does not have. */
  void check(Fields given, ClusterKind kind) {
    if (kind != ClusterKind.SLURM) {
      return;
    }
    given.required("token", "a JWT of scontrol token.");
    if (token != null && Connection.Slurm.user(token).isEmpty()) {
      given.refuse(
          "token",
          ProblemCode.INVALID_FIELD,
          "The token is not a JWT of Slurm with the claim sun. scontrol token prints one.",
          null);
    }
    for (String field : List.of("clientCertificateData", "clientKeyData")) {
      if (given.has(field)) {
        given.refuse(
            field,
            ProblemCode.UNKNOWN_FIELD,
            "The connection to a SLURM cluster has no field \"" + field + "\".",
            null);
      }
    }
  }

  /** The connection of a request without problems. */
  Connection connection(ClusterKind kind) {
    if (kind != ClusterKind.SLURM) {
      return new Connection.Kubernetes(server, caData, token, clientCertificateData, clientKeyData);
    }
    Secret jwt = Objects.requireNonNull(token);
    return new Connection.Slurm(server, caData, Connection.Slurm.user(jwt).orElseThrow(), jwt);
  }

  /** Reads a part of a connection. No problem repeats it. */
  static final class Part extends FieldReader<String> {
    @Override
    protected Optional<String> read(Value value) {
      return value.secret(ClusterFields.LONGEST_PART);
    }
  }

  /** Reads a part of a connection that no log may repeat. */
  static final class SecretPart extends FieldReader<Secret> {
    @Override
    protected Optional<Secret> read(Value value) {
      return value.secret(ClusterFields.LONGEST_PART).map(Secret::new);
    }
  }
}
