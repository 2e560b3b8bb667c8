package dev.fairlead.kernel.loop;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.FenceLost;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A loop that acts only while this process holds its lease, so that one replica at a time acts. The
 * lease is renewed or challenged at the beginning of each pass. {@link LoopThread} runs the passes,
 * counts them and their failures, and publishes the time of the last success.
 */
public abstract class LeasedLoop implements Loop {
  private static final Logger LOG = LoggerFactory.getLogger(LeasedLoop.class);

  /** Maximum time between two passes without work. A lost wake-up delays work by this time. */
  private static final Duration QUIET = Duration.ofSeconds(5);

  private final String name;
  private final String role;
  private final Duration idle;
  private final LeaseKeeper keeper;
  private final AtomicLong passedOver = new AtomicLong();
  private Duration pause;
  private boolean quiet;

  /**
   * Creates a loop under a lease.
   *
   * @param role role of the process that it belongs to, as in {@link Loop#role}
   * @param idle maximum time between two passes. Less if the lease requires it
   */
  protected LeasedLoop(String name, String role, Duration idle, LeaseKeeper keeper) {
    this.name = name;
    this.role = role;
    this.idle = idle;
    this.pause = idle;
    this.keeper = keeper;
  }

  /** Creates a loop under the lease of the same name. */
  protected LeasedLoop(String name, String role, Duration idle, Leases leases) {
    this(name, role, idle, leases.keeper(name));
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final String role() {
    return role;
  }

  @Override
  public Duration idle() {
    return keeper.idle(pause);
  }

  @Override
  public final boolean tick() {
    quiet = false;
    try {
      return underLease();
    } finally {
      pause = quiet ? longer(pause) : idle;
    }
  }

  private boolean underLease() {
    HeldLease lease = keeper.tick().orElse(null);
    if (lease == null) {
      forget();
      return false;
    }
    try {
      return turn(lease);
    } catch (FenceLost deposed) {
      keeper.lost();
      forget();
      return false;
    }
  }

  private static Duration longer(Duration before) {
    Duration twice = before.multipliedBy(2);
    return twice.compareTo(QUIET) < 0 ? twice : QUIET;
  }

  /**
   * Reports from {@link #turn} that the pass had nothing to do, and that a wake-up announces work.
   * The time until the next pass then doubles, up to {@link #QUIET}.
   */
  protected final void quiet() {
    quiet = true;
  }

  /**
   * Runs one bounded pass under the lease. Returns true when more work is due immediately.
   *
   * @throws FenceLost when another process holds a later epoch: then this process gives up the
   *     lease
   */
  protected abstract boolean turn(HeldLease lease);

  /** Drops the state from the time under the lease. Called in each pass without it. */
  protected void forget() {}

  /**
   * Runs the work on one object of a pass. A failure is logged and counted, and does not affect the
   * other objects. A conflict is not a failure, because the next pass reads the changed object.
   *
   * @param what name of the object in the log, for example {@code transfer trf_1}
   * @return whether the work ended without a failure or conflict
   * @throws FenceLost as the work does: no more work is allowed under the lease
   */
  protected final boolean guarded(String what, Runnable work) {
    try {
      work.run();
      return true;
    } catch (FenceLost deposed) {
      throw deposed;
    } catch (Conflict changed) {
      LOG.debug("loop {}: {} has changed since it was read", name, what, changed);
    } catch (RuntimeException failed) {
      passOver(1);
      LOG.warn("loop {}: {} could not be handled and is retried", name, what, failed);
    }
    return false;
  }

  /** Counts objects that the pass could not handle, for the alert. The caller logs them. */
  protected final void passOver(int objects) {
    passedOver.addAndGet(objects);
  }

  @Override
  public final long passedOver() {
    return passedOver.get();
  }

  protected final LeaseKeeper keeper() {
    return keeper;
  }

  @Override
  public void close() {
    keeper.release();
  }
}
