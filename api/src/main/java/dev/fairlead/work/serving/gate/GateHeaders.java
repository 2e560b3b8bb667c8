package dev.fairlead.work.serving.gate;

import dev.fairlead.people.token.TokenText;
import dev.fairlead.work.attempt.AttemptCredential;
import dev.fairlead.work.serving.key.ServiceKeyText;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** Headers that the gate does not pass on. */
final class GateHeaders {
  static final String FORWARDED_HOST = "x-forwarded-host";
  private static final String AUTHORIZATION = "authorization";

  /** Headers of one connection, RFC 9110 7.6.1. */
  private static final Set<String> HOP_BY_HOP =
      Set.of(
          "connection",
          "keep-alive",
          "proxy-authenticate",
          "proxy-authorization",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  private static final Set<String> OF_THE_GATE =
      Set.of("host", "content-length", "expect", FORWARDED_HOST);

  private GateHeaders() {}

  /**
   * Names that are not passed on, in lower case.
   *
   * @param connection values of the header Connection
   */
  static SortedSet<String> ofConnection(List<String> connection) {
    SortedSet<String> names = new TreeSet<>(HOP_BY_HOP);
    for (String value : connection) {
      for (String name : value.split(",", -1)) {
        names.add(name.strip().toLowerCase(Locale.ROOT));
      }
    }
    return names;
  }

  /**
   * Returns whether a header of a request reaches the replica. A credential of Fairlead never does.
   */
  static boolean reachesReplica(String name, String value, SortedSet<String> ofConnection) {
    String lower = name.toLowerCase(Locale.ROOT);
    boolean ours =
        value.contains(ServiceKeyText.PREFIX)
            || lower.equals(AUTHORIZATION)
                && (value.contains(TokenText.PREFIX) || value.contains(AttemptCredential.PREFIX));
    return !ours && !OF_THE_GATE.contains(lower) && !ofConnection.contains(lower);
  }

  /**
   * Returns whether a header requests a compressed response. The usage of a compressed response
   * cannot be read.
   */
  static boolean compresses(String name) {
    return name.equalsIgnoreCase("accept-encoding");
  }

  static boolean reachesClient(String name, SortedSet<String> ofConnection) {
    String lower = name.toLowerCase(Locale.ROOT);
    return !lower.startsWith(":") && !ofConnection.contains(lower);
  }
}
