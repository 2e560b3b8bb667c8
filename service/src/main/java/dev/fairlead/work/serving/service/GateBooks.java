package dev.fairlead.work.serving.service;

import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.serving.key.GateBatch;
import dev.fairlead.work.serving.key.KeyChanges;
import dev.fairlead.work.serving.key.KeyMinute;
import dev.fairlead.work.serving.key.ServiceKeyStore;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import org.springframework.stereotype.Component;

/** Stores the counts of gates and returns the keys and the use that all gates share. */
@Component
public class GateBooks {
  /** A gate that has stored nothing for this time no longer counts toward the shared limits. */
  public static final Duration GONE = Duration.ofSeconds(10);

  private final ServiceKeyStore keys;
  private final Transactions transactions;

  public GateBooks(ServiceKeyStore keys, Transactions transactions) {
    this.keys = keys;
    this.transactions = transactions;
  }

  /**
   * The state of all gates together.
   *
   * @param now time of the database
   * @param keys changes of the keys of all services
   * @param used use of keys in the minute of this time
   * @param gates number of gates, at least 1
   */
  public record Shared(Instant now, KeyChanges keys, List<KeyMinute> used, int gates) {
    public Shared {
      used = List.copyOf(used);
    }

    /** Start of the current minute. */
    public Instant minute() {
      return now.truncatedTo(ChronoUnit.MINUTES);
    }
  }

  /**
   * Stores a batch of a gate, once even if it is repeated, and reads the shared state.
   *
   * @param keysSince version of the keys that the gate has, 0 for none
   */
  public Shared exchange(GateBatch batch, long keysSince) {
    return transactions.forAllTenants(() -> {
      Instant now = keys.now();
      keys.add(batch, now);
      return new Shared(
          now,
          keys.changes(keysSince, now),
          keys.minutes(now.truncatedTo(ChronoUnit.MINUTES)),
          Math.max(1, keys.gates(now.minus(GONE))));
    });
  }

  /** Removes a stopping gate without an unconfirmed batch. The gate then shares no limits. */
  public void leave(UUID gate) {
    keys.leave(gate);
  }
}
