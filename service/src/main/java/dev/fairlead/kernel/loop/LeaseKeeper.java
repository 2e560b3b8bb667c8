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
 * Keeps or challenges one lease. A foreign lease is taken over only after its renewal counter
 * stayed unchanged for the whole duration of this process's own monotonic time; the own one is
 * given up by itself when no renewal succeeded for the self-stop time, counted from before the
 * renewal was sent. No wall clock plays a part. A lease whose holder's process has ended, as its
 * database session shows, is taken over at once: the fence keeps that safe also where it is wrong.
 *
 * <p>{@link #tick} begins a turn of the loop that acts under the lease; {@link #beat} keeps the
 * lease while that turn lasts, so that a long turn on a busy machine does not hand the work back
 * and forth. A turn without end loses its lease all the same.
 */
public final class LeaseKeeper {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseKeeper.class);

  /** A turn that lasts so many times the lease's duration is taken for stuck. */
  private static final int STUCK = 10;

  private final String name;
  private final String holder;
  private final LeaseStore store;
  private final LeaseTimes times;
  private final MonotonicClock clock;
  private @Nullable HeldLease held;

  /** The lease that this process stopped acting under; the next turn hands it back. */
  private @Nullable HeldLease abandoned;

  private long renewedAt;
  private long turnBeganAt;
  private Thread turnsOn = Thread.currentThread();
  private boolean marks;
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
   * Renews or challenges when it is time; the lease when it is held now. The first turn after this
   * process stopped by itself hands the lease back and is without it: the turn before has ended, so
   * nothing acts under it here, and its own session would pass for that of a living holder.
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
   * Renews in the middle of a turn when it is time, and hands the lease back when the thread of the
   * last turn has ended. May be called by any thread.
   */
  public synchronized void beat() {
    long now = clock.nanos();
    HeldLease mine = held;
    if (mine != null && !turnsOn.isAlive()) {
      LOG.error("lease {} is handed back: the thread of its loop has ended", name);
      release();
    } else if (mine != null && now - turnBeganAt < times.duration().multipliedBy(STUCK).toNanos()) {
      keep(mine, now);
    }
  }

  private void keep(HeldLease mine, long now) {
    if (now - renewedAt >= times.selfStop().toNanos()) {
      LOG.warn("lease {} not renewed for {}: stopping by itself", name, times.selfStop());
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
      LOG.warn("lease {} could not be handed back: {}", name, away.toString());
    }
  }

  /**
   * How long a loop may sleep that wants to sleep so long: never past half of the time of a
   * renewal.
   */
  public Duration idle(Duration wanted) {
    Duration most = times.renew().dividedBy(2);
    return wanted.compareTo(most) < 0 ? wanted : most;
  }

  /** Hands the lease back, so that another may act at once. */
  public synchronized void release() {
    HeldLease mine = held == null ? abandoned : held;
    held = null;
    abandoned = null;
    if (mine != null) {
      store.release(mine);
    }
  }

  /** Whether this process holds it, as far as it knows. */
  synchronized boolean holds() {
    return held != null;
  }

  /** How often this process took it. */
  synchronized long taken() {
    return taken;
  }

  /**
   * Others may have taken it: it is renewed at the next occasion, whatever its time, which shows
   * whether they did.
   */
  void doubt() {
    doubtful = true;
  }

  /** The cluster or the database says that another holds a higher term. */
  public synchronized void lost() {
    held = null;
    watched = null;
  }

  /**
   * Whether what the lease stands for is acted on: then its mark rises with each renewal. It stays
   * where it is as long as something else was found to be ahead of it.
   */
  public synchronized void marks(boolean acting) {
    marks = acting;
  }

  /**
   * Raises the mark before something begins under the lease, so that no state of the database from
   * before it passes for one from after it; the lease as it is then, empty when that could not be
   * stored, or while nothing is acted on.
   */
  public synchronized Optional<HeldLease> mark() {
    HeldLease before = held;
    if (before == null || !marks) {
      return Optional.empty();
    }
    renew(before, clock.nanos());
    return Optional.ofNullable(held).filter(now -> now.mark() > before.mark());
  }

  /** Whether this database has given out the term, or a later one. */
  public boolean given(long term) {
    return store.read(name).map(row -> row.term() >= term).orElse(false);
  }

  private void renew(HeldLease mine, long sentAt) {
    try {
      Optional<HeldLease> renewed = store.renew(mine, marks);
      held = renewed.orElse(null);
      doubtful = false;
      renewedAt = sentAt;
      if (renewed.isEmpty()) {
        LOG.warn("lease {} was taken over under a term above {}", name, mine.term());
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
        before != null && before.term() == row.term() && before.renewals() == row.renewals();
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
      LOG.info("lease {} held by {} under term {}", name, holder, lease.term());
      held = lease;
      taken++;
      renewedAt = now;
      doubtful = false;
      watched = null;
      marks = false;
    });
  }
}
