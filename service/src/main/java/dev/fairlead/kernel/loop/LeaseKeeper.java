package dev.fairlead.kernel.loop;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.lease.LeaseRow;
import dev.fairlead.kernel.lease.LeaseStore;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds or challenges one lease. A foreign lease is taken over only after its renewal counter has
 * been unchanged for the whole duration, measured by this process's monotonic clock. The process
 * releases its own lease if no renewal succeeded within the self-stop time, counted from before the
 * renewal was sent. No wall clock is involved. A lease is taken over immediately if its holder's
 * process has ended, as shown by its database session. The fence keeps that safe even if it is
 * wrong.
 *
 * <p>{@link #tick} begins a pass of the loop that acts under the lease. {@link #beat} renews the
 * lease during that pass, so that a long pass on a busy machine does not move the work between
 * processes. A pass without end still loses its lease.
 */
public final class LeaseKeeper {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseKeeper.class);

  /** A pass that takes longer than this multiple of the lease's duration counts as stuck. */
  private static final int STUCK = 10;

  private final String name;
  private final String holder;
  private final LeaseStore store;
  private final LeaseTimes times;
  private final MonotonicClock clock;
  private @Nullable HeldLease held;

  /** The lease that this process stopped acting under. The next pass releases it. */
  private @Nullable HeldLease abandoned;

  private long renewedAt;
  private long turnBeganAt;
  private Thread turnsOn = Thread.currentThread();
  private boolean raises;
  private volatile boolean doubtful;
  private @Nullable LeaseRow watched;
  private long watchedSince;
  private long taken;

  public LeaseKeeper(
      String name, String holder, LeaseStore store, LeaseTimes times, MonotonicClock clock) {
    this.name = name;
    this.holder = holder;
    this.store = store;
    this.times = times;
    this.clock = clock;
  }

  /**
   * Renews or challenges the lease when due, and returns it if it is held now. After this process
   * has stopped, the next pass releases the lease and runs without it: the previous pass has ended,
   * so nothing acts under the lease, and the session of this process would count as that of a live
   * holder.
   */
  public synchronized Optional<HeldLease> tick() {
    long now = clock.nanos();
    turnBeganAt = now;
    turnsOn = Thread.currentThread();
    HeldLease mine = held;
    HeldLease stopped = abandoned;
    if (stopped != null) {
      handBack(stopped);
    } else if (mine == null) {
      challenge(now);
    } else {
      keep(mine, now);
    }
    return Optional.ofNullable(held);
  }

  /**
   * Renews the lease during a pass when due, and releases it when the thread of the last pass has
   * ended. Thread-safe.
   */
  public synchronized void beat() {
    long now = clock.nanos();
    HeldLease mine = held;
    if (mine != null && !turnsOn.isAlive()) {
      LOG.error("lease {} is released: the thread of its loop has ended", name);
      release();
    } else if (mine != null && now - turnBeganAt < times.duration().multipliedBy(STUCK).toNanos()) {
      keep(mine, now);
    }
  }

  private void keep(HeldLease mine, long now) {
    if (now - renewedAt >= times.selfStop().toNanos()) {
      LOG.warn("lease {} not renewed for {}: this process stops its work", name, times.selfStop());
      held = null;
      abandoned = mine;
    } else if (doubtful || now - renewedAt >= times.renew().toNanos()) {
      renew(mine, now);
    }
  }

  private void handBack(HeldLease stopped) {
    try {
      store.release(stopped);
      abandoned = null;
    } catch (RuntimeException away) {
      LOG.warn("lease {} could not be released: {}", name, away.toString());
    }
  }

  /** Limits the sleep of a loop to half of the renewal interval. */
  public Duration idle(Duration wanted) {
    Duration most = times.renew().dividedBy(2);
    return wanted.compareTo(most) < 0 ? wanted : most;
  }

  /** Releases the lease, so that another process may act immediately. */
  public synchronized void release() {
    HeldLease mine = held == null ? abandoned : held;
    held = null;
    abandoned = null;
    if (mine != null) {
      store.release(mine);
    }
  }

  /** Returns whether this process holds it, to its knowledge. */
  synchronized boolean holds() {
    return held != null;
  }

  /** Number of times that this process took it. */
  synchronized long taken() {
    return taken;
  }

  /** Renews at the next occasion, because another process may have taken the lease. */
  void doubt() {
    doubtful = true;
  }

  /** Called when the cluster or the database reports that another process holds a higher epoch. */
  public synchronized void lost() {
    held = null;
    watched = null;
  }

  /**
   * Sets whether the process acts under the lease: then its watermark rises with each renewal. The
   * watermark does not rise while a higher one was found.
   */
  public synchronized void acts(boolean acting) {
    raises = acting;
  }

  /**
   * Raises the watermark before work begins under the lease, so that an earlier state of the
   * database never counts as a later state. Returns the updated lease. Returns empty if the lease
   * could not be stored, or while the process does not hold it.
   */
  public synchronized Optional<HeldLease> raiseWatermark() {
    HeldLease before = held;
    if (before == null || !raises) {
      return Optional.empty();
    }
    renew(before, clock.nanos());
    return Optional.ofNullable(held).filter(now -> now.watermark() > before.watermark());
  }

  /** Returns whether this database has issued the epoch, or a later one. */
  public boolean given(long epoch) {
    return store.read(name).map(row -> row.epoch() >= epoch).orElse(false);
  }

  private void renew(HeldLease mine, long sentAt) {
    try {
      Optional<HeldLease> renewed = store.renew(mine, raises);
      held = renewed.orElse(null);
      doubtful = false;
      renewedAt = sentAt;
      if (renewed.isEmpty()) {
        LOG.warn("lease {} was taken over under an epoch above {}", name, mine.epoch());
      }
    } catch (RuntimeException away) {
      LOG.warn("lease {} could not be renewed: {}", name, away.toString());
    }
  }

  private void challenge(long now) {
    LeaseRow row = store.read(name).orElse(null);
    if (row == null) {
      take(store.create(name, holder), now);
      return;
    }
    LeaseRow before = watched;
    boolean same =
        before != null && before.epoch() == row.epoch() && before.renewals() == row.renewals();
    if (!same) {
      watched = row;
      watchedSince = now;
    }
    if (row.released()
        || row.orphaned()
        || same && now - watchedSince >= times.duration().toNanos()) {
      take(store.takeOver(row, holder), now);
    }
  }

  private void take(Optional<HeldLease> got, long now) {
    got.ifPresent(lease -> {
      LOG.info("lease {} held by {} under epoch {}", name, holder, lease.epoch());
      held = lease;
      taken++;
      renewedAt = now;
      doubtful = false;
      watched = null;
      raises = false;
    });
  }
}
