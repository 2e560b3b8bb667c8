package dev.fairlead.kernel.lease;

import java.util.List;
import java.util.Optional;

/**
 * Leases and their fences. The store compares and sets. The challenger decides when to take over:
 * from an unchanged renewal counter over its own monotonic time, or immediately when the holder's
 * session has ended.
 */
public interface LeaseStore {
  /** The incarnation may be stale. */
  Installation installation();

  /** The current incarnation. */
  int incarnation();

  /**
   * Declares this database the live one: releases every lease, and later holders get an epoch and a
   * watermark of the next incarnation, above all issued ones. Joins an open transaction.
   *
   * @param from the incarnation it has now. For any other value, nothing changes
   * @return whether it was raised
   */
  boolean raiseIncarnation(int from);

  Optional<LeaseRow> read(String name);

  /** Names of all leases, in order. */
  List<String> names();

  /**
   * Creates the lease when it does not exist, with the first epoch of the incarnation, empty when
   * it exists.
   */
  Optional<HeldLease> create(String name, String holder);

  /**
   * Takes the lease over from the row as read: raises the fence, waiting for transactions that hold
   * it. The result is empty when epoch or renewal counter moved since.
   */
  Optional<HeldLease> takeOver(LeaseRow seen, String holder);

  /**
   * Counts one renewal. The result is empty if another process has a higher epoch. Touches the
   * lease row only, never the fence.
   *
   * @param raise whether the watermark rises by one, because the holder acts within the scope of
   *     the lease
   */
  Optional<HeldLease> renew(HeldLease lease, boolean raise);

  /**
   * Releases the lease, so that another process can take it immediately. Does nothing if this
   * process no longer holds it.
   */
  void release(HeldLease lease);

  /**
   * Removes the lease permanently: waits for transactions that hold its fence and excludes later
   * ones. Leases that are created afterwards get higher epochs and watermarks. Joins an open
   * transaction. Does nothing if no such lease exists.
   */
  void remove(String name);

  /**
   * Runs the listener after the loss of the database session that identifies this process: others
   * may take over its leases immediately, until it has renewed them.
   */
  void whenSessionEnds(Runnable listener);
}
