package dev.fairlead.fleet.cluster.connection;

import dev.fairlead.kernel.identity.ClusterId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The claims of a service account token. They are read only to learn when the token expires. Only
 * its cluster can verify the token.
 *
 * @param account name of the service account
 */
public record AccountToken(String namespace, String account, Instant issuedAt, Instant expiresAt) {
  /** Lifetime to request for a new token. A cluster may grant less or more. */
  public static final Duration LIFE = Duration.ofDays(7);

  private static final Pattern SUBJECT =
      Pattern.compile("\"sub\"\\s*:\\s*\"system:serviceaccount:([a-z0-9-]+):([a-z0-9.-]+)\"");
  private static final Pattern ISSUED = Pattern.compile("\"iat\"\\s*:\\s*([0-9]{1,11})\\b");
  private static final Pattern EXPIRES = Pattern.compile("\"exp\"\\s*:\\s*([0-9]{1,11})\\b");
  private static final int PARTS = 3;

  /**
   * Fractions of the lifetime, in units of 1/1500: renewal begins between 900 (three fifths) and
   * 1,000 (two thirds).
   */
  private static final int WHOLE = 1_500;

  private static final int EARLIEST = 900;
  private static final int SPREAD = 101;

  /**
   * Returns the token of the connection. The result is empty for other credentials and for a token
   * that does not expire.
   */
  public static Optional<AccountToken> of(Connection connection) {
    return connection instanceof Connection.Kubernetes real && real.token() != null
        ? parse(real.token().reveal())
        : Optional.empty();
  }

  private static Optional<AccountToken> parse(String token) {
    String[] parts = token.split("\\.", -1);
    if (parts.length != PARTS) {
      return Optional.empty();
    }
    String claims;
    try {
      claims = new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException notBase64) {
      return Optional.empty();
    }
    Matcher subject = SUBJECT.matcher(claims);
    Matcher issued = ISSUED.matcher(claims);
    Matcher expires = EXPIRES.matcher(claims);
    return subject.find() && issued.find() && expires.find()
        ? Optional.of(
            new AccountToken(subject.group(1), subject.group(2), time(issued), time(expires)))
        : Optional.empty();
  }

  private static Instant time(Matcher seconds) {
    return Instant.ofEpochSecond(Long.parseLong(seconds.group(1)));
  }

  /**
   * Returns when to request a new token: after three fifths to two thirds of its lifetime, by the
   * id of its cluster, so that tokens that were created together are not renewed together.
   */
  public Instant renewAt(ClusterId cluster) {
    int part = EARLIEST + Math.floorMod(cluster.value().hashCode(), SPREAD);
    return issuedAt.plus(life().multipliedBy(part).dividedBy(WHOLE));
  }

  /** Returns whether both tokens belong to one service account. */
  public boolean sameAccount(AccountToken other) {
    return namespace.equals(other.namespace) && account.equals(other.account);
  }

  /** Returns whether the renewal is overdue, after five sixths of the lifetime. */
  public boolean late(Instant now) {
    return !now.isBefore(issuedAt.plus(life().multipliedBy(5).dividedBy(6)));
  }

  private Duration life() {
    return Duration.between(issuedAt, expiresAt);
  }

  /** Describes the remaining lifetime as a human-readable text. */
  public String left(Instant now) {
    Duration left = Duration.between(now, expiresAt);
    if (!left.isPositive()) {
      return "expired at " + expiresAt;
    }
    return left.toDays() > 0
        ? "expires in " + left.toDays() + " days, at " + expiresAt
        : "expires in " + left.toHours() + " h " + left.toMinutesPart() + " min, at " + expiresAt;
  }
}
