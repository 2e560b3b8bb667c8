package dev.fairlead.fleet.cluster;

import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.keyring.Secret;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;

/** Unsigned tokens in the form of Kubernetes tokens. */
public final class AccountTokens {
  private AccountTokens() {}

  /** Of the account fairlead. */
  public static Secret token(Instant issued, Instant expires) {
    return of(
        ("{\"aud\":[\"https://kubernetes\"],\"exp\":%d,\"iat\":%d,\"kubernetes.io\":{\"namespace\":\"fairlead-system\"},"
                + "\"sub\":\"system:serviceaccount:fairlead-system:fairlead\"}")
            .formatted(expires.getEpochSecond(), issued.getEpochSecond()));
  }

  /** With these claims. */
  public static Secret of(String claims) {
    String text =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(claims.getBytes(StandardCharsets.UTF_8));
    return new Secret("e30." + text + ".c2ln");
  }

  public static Connection.Kubernetes connection(Secret token) {
    return new Connection.Kubernetes("https://203.0.113.10:6443", "", token, null, null);
  }
}
