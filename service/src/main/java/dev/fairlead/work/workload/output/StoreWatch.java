package dev.fairlead.work.workload.output;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.OwnClusters;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.log.ChunkStore;
import dev.fairlead.work.log.ForeignLogStore;
import dev.fairlead.work.log.LogStore;
import dev.fairlead.work.log.StoreClaim;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proof, for the holder of the lease {@code logs}, that only this database uses the log store. The
 * proof has two parts. A supervisor acts on a cluster of this database, where it has one. And the
 * claim of the store has been this database's own for {@link #RIPE}: each minute a new nonce is
 * stored in the database and then written into the claim. A process that ends between the two
 * leaves a claim with an older nonce, which the next holder can read in the database. A copy of the
 * database does not know the later nonces of its original, and the original does not know the
 * copy's. The process that finds a foreign nonce writes {@link StoreClaim#CONTESTED}, which no
 * process replaces.
 *
 * <p>Not thread-safe.
 */
final class StoreWatch {
  /** A second writer reads the claim ten times in this period, and finds a change. */
  static final Duration RIPE = Duration.ofMinutes(10);

  private static final Logger LOG = LoggerFactory.getLogger(StoreWatch.class);
  private static final Duration EVERY = Duration.ofMinutes(1);

  /** Delay after a check of the claim that proved nothing. */
  private static final Duration SOON = Duration.ofSeconds(10);

  private final InventoryStore inventory;
  private final LogStore index;
  private final ChunkStore store;
  private final Transactions transactions;
  private final MonotonicClock clock;
  private final Supplier<String> nonces;
  private final OwnClusters own = new OwnClusters();
  private Recurring look;
  private boolean ours;
  private long oursSince;
  private long doubtedSince;
  private @Nullable String doubt;

  /**
   * @param nonces random words of a-z and 0-9, at most 64 characters each
   */
  StoreWatch(
      InventoryStore inventory,
      LogStore index,
      ChunkStore store,
      Transactions transactions,
      MonotonicClock clock,
      Supplier<String> nonces) {
    this.inventory = inventory;
    this.index = index;
    this.store = store;
    this.transactions = transactions;
    this.clock = clock;
    this.nonces = nonces;
    this.look = Recurring.fromNowOn(clock, EVERY);
    this.doubtedSince = clock.nanos();
  }

  /**
   * Checks the claim when a check is due, and in the first pass after a supervisor has recorded a
   * contact, so that processes with short lives also find a copy. Returns whether chunks may be
   * removed.
   */
  boolean proved(HeldLease lease) {
    if (look.due()) {
      String why = withoutCluster();
      if (why == null) {
        look = Recurring.after(clock, SOON);
        look(lease);
        if (ours) {
          look = Recurring.after(clock, EVERY);
        }
      } else {
        doubt(why);
      }
    }
    return ours && clock.nanos() - oursSince >= RIPE.toNanos();
  }

  /** Time since the lease was acquired or the last proof expired, 0 while the proof is valid. */
  Duration unproved() {
    return ours ? Duration.ZERO : Duration.ofNanos(clock.nanos() - doubtedSince);
  }

  /** The lease was lost: another process may act now. */
  void forget() {
    ours = false;
    doubt = null;
    doubtedSince = clock.nanos();
    own.forget();
    look = Recurring.fromNowOn(clock, EVERY);
  }

  private void look(HeldLease lease) {
    String why;
    try {
      why = renew(lease);
    } catch (ForeignLogStore foreign) {
      why = foreign.getMessage();
    } catch (IOException away) {
      LOG.warn("the claim on the log store could not be renewed: {}", away.toString());
      return; // each removal reads the claim as well
    }
    if (why == null) {
      if (!ours) {
        ours = true;
        oursSince = clock.nanos();
        doubt = null;
      }
    } else {
      doubt(why);
    }
  }

  private void doubt(String why) {
    if (ours) {
      ours = false;
      doubtedSince = clock.nanos();
    }
    if (!why.equals(doubt)) {
      LOG.warn("no log is removed: {}", why);
      doubt = why;
    }
  }

  private @Nullable String withoutCluster() {
    List<Cluster> clusters = inventory.clusters();
    boolean acts = !own.among(clusters).isEmpty();
    return clusters.stream()
        .filter(Cluster::onlyReported)
        .findFirst()
        .map(held -> "cluster " + held.name() + " is " + held.trouble())
        .orElse(
            acts || clusters.isEmpty()
                ? null
                : "this database has not acted on any of its clusters since this process took the"
                    + " lease logs");
  }

  /** Reason why the claim is not this database's own, null when it is. */
  private @Nullable String renew(HeldLease lease) throws IOException {
    StoreClaim claim = store.claim();
    List<String> given = index.nonces();
    StoreClaim.Holder holder = claim.holder(given);
    return switch (holder) {
      case FREE, OURS -> { // a nonce that was stored and never arrived is written again
        boolean arrived = given.isEmpty() || claim.nonce().equals(given.getFirst());
        boolean next = arrived || holder == StoreClaim.Holder.FREE;
        store.claim(claim.with(next ? fresh(lease) : given.getFirst()));
        yield null;
      }
      case OTHERS -> {
        store.claim(claim.with(StoreClaim.CONTESTED));
        yield ForeignLogStore.written("the claim of the log store", holder, claim).getMessage();
      }
      case CONTESTED ->
          ForeignLogStore.written("the claim of the log store", holder, claim).getMessage();
    };
  }

  private String fresh(HeldLease lease) {
    String nonce = nonces.get();
    transactions.runFenced(lease, () -> index.addNonce(nonce));
    return nonce;
  }
}
