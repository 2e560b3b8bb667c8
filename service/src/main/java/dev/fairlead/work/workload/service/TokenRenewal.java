package dev.fairlead.work.workload.service;

import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.connection.AccountToken;
import dev.fairlead.fleet.cluster.connection.ClientCertificate;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.work.workload.ClusterGateway;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces the token of a cluster before it expires by a token that the cluster issues to its
 * bearer. Only the holder of the cluster's lease renews. Every process connects with the new token
 * when it reads the changed row.
 */
final class TokenRenewal {
  private static final Logger LOG = LoggerFactory.getLogger(TokenRenewal.class);
  private static final Duration EVERY = Duration.ofMinutes(1);

  /**
   * Number of tries between a refusal and the expiry of the token, at most one per hour to limit
   * the log.
   */
  private static final int TRIES = 10;

  private static final Duration SELDOM = Duration.ofHours(1);
  private final ClusterId cluster;
  private final InventoryStore inventory;
  private final ClusterTokens tokens;
  private final MonotonicClock clock;
  private final Recurring look;

  /** The refused renewal and the time of the next try, null when no renewal was refused. */
  private @Nullable Refused refused;

  private boolean registered;

  private volatile @Nullable Duration left;
  private volatile @Nullable Duration certificateLeft;

  TokenRenewal(
      ClusterId cluster, InventoryStore inventory, ClusterTokens tokens, MonotonicClock clock) {
    this.cluster = cluster;
    this.inventory = inventory;
    this.tokens = tokens;
    this.clock = clock;
    this.look = Recurring.after(clock, EVERY);
  }

  private record Refused(Connection.Kubernetes held, Recurring again) {
    boolean rests(Connection.Kubernetes now) {
      return held.equals(now) && !again.due();
    }
  }

  @FunctionalInterface
  interface Issuer {
    /**
     * Like {@link ClusterGateway#newToken}.
     *
     * @throws IOException as there
     */
    Secret token(AccountToken used) throws IOException;
  }

  /**
   * Remaining life of the token at the last check, negative after its expiry, empty for other
   * credentials. Thread-safe.
   */
  Optional<Duration> left() {
    return Optional.ofNullable(left);
  }

  /** Remaining life of the client certificate. Thread-safe. */
  Optional<Duration> certificateLeft() {
    return Optional.ofNullable(certificateLeft);
  }

  /** Checks once a minute whether a renewal is due. Ignores credentials other than tokens. */
  void look(HeldLease lease, Issuer issuer, Instant now) {
    if (!look.due()) {
      return;
    }
    look.done();
    Connection connection = inventory.connection(cluster);
    left =
        AccountToken.of(connection)
            .map(token -> Duration.between(now, token.expiresAt()))
            .orElse(null);
    certificateLeft =
        ClientCertificate.of(connection)
            .map(certificate -> Duration.between(now, certificate.endsAt()))
            .orElse(null);
    if (left != null && !registered) {
      tokens.register(name());
      registered = true;
    }
    if (connection instanceof Connection.Kubernetes held
        && (refused == null || !refused.rests(held))) {
      AccountToken.of(held)
          .filter(token -> !now.isBefore(token.renewAt(cluster)))
          .ifPresent(token -> renew(lease, issuer, held, token, now));
    }
  }

  private String name() {
    return inventory.nameOf(cluster).orElse(cluster.text());
  }

  private void renew(
      HeldLease lease, Issuer issuer, Connection.Kubernetes held, AccountToken token, Instant now) {
    String name = name();
    try {
      Connection.Kubernetes next = held.with(issuer.token(token));
      AccountToken fresh =
          AccountToken.of(next)
              .filter(other -> other.sameAccount(token) && other.renewAt(cluster).isAfter(now))
              .orElseThrow(() ->
                  new IOException(
                      "the new token belongs to another account, or has no lifetime left"));
      refused = null;
      if (tokens.store(lease, cluster, held, next, fresh)) {
        tokens.count(name, true);
        LOG.info("cluster {}: its token is renewed and valid until {}", name, fresh.expiresAt());
      }
    } catch (IOException refusal) {
      tokens.count(name, false);
      LOG.warn(
          "cluster {}: its token {} and could not be renewed: {}",
          name,
          token.left(now),
          refusal.getMessage());
      refused = new Refused(held, Recurring.after(clock, pause(token, now)));
    } catch (Conflict raced) {
      LOG.debug("cluster {} was changed concurrently", name, raced);
    }
  }

  private static Duration pause(AccountToken token, Instant now) {
    Duration pause = Duration.between(now, token.expiresAt()).dividedBy(TRIES);
    return pause.compareTo(EVERY) < 0 ? EVERY : pause.compareTo(SELDOM) > 0 ? SELDOM : pause;
  }
}
