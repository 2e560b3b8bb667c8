package dev.fairlead.fleet.cluster.connection;

import dev.fairlead.kernel.keyring.Secret;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Connection to a cluster. A connection contains credentials, so it is never logged or returned.
 */
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

  /**
   * The Slurm REST API.
   *
   * @param server https URL of slurmrestd, or of a proxy before it
   * @param caData PEM of its certificate authority, base64 as in a kubeconfig
   * @param user user of the token, which runs the jobs
   * @param token JWT of {@code scontrol token}
   */
  record Slurm(String server, String caData, String user, Secret token) implements Connection {
    private static final Pattern JWT = Pattern.compile("[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+){2}");
    private static final Pattern USER =
        Pattern.compile("\"sun\"\\s*:\\s*\"([^\"\\\\\\p{Cntrl}]{1,64})\"");

    /**
     * Returns the user that the claim {@code sun} of the token names, empty for a text that is not
     * such a token. Only slurmctld can verify the token.
     */
    public static Optional<String> user(Secret token) {
      if (!JWT.matcher(token.reveal()).matches()) {
        return Optional.empty();
      }
      try {
        byte[] decoded = Base64.getUrlDecoder().decode(token.reveal().split("\\.", -1)[1]);
        String claims = new String(decoded, StandardCharsets.UTF_8);
        Matcher user = USER.matcher(claims);
        return user.find() ? Optional.of(user.group(1)) : Optional.empty();
      } catch (IllegalArgumentException notBase64) {
        return Optional.empty();
      }
    }
  }

  /** A simulated cluster of these pools. */
  record Simulated(List<FleetPool> fleet) implements Connection {
    public Simulated {
      fleet = List.copyOf(fleet);
    }
  }
}
