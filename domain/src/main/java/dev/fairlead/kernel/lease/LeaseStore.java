package dev.fairlead.kernel.lease;

import java.util.List;
import java.util.Optional;

/**
 * Leases and their fences. The store compares and sets; when a lease may be taken over is decided
 * by the challenger, from an unchanged renewal counter over its own monotonic time, or at once when
 * the holder's session has ended.
 */
public interface LeaseStore {
  /** Its incarnation may be that of an earlier moment. */
  Installation installation();

  /** As it is now. */
  int incarnation();

  /**
   * Declares this database to be the live one: every lease is handed back, and whoever takes one
   * gets a term and a mark of the next incarnation, above all that were ever given out. Part of the
   * open transaction, if there is one.
   *
   * @param from the incarnation it has now; with any other nothing is done
   * @return whether it was raised
   */
  boolean raiseIncarnation(int from);

  Optional<LeaseRow> read(String name);

  /** Names of all leases, in order. */
  List<String> names();

  /**
   * Creates the lease when it does not exist, with the first term of the incarnation; empty when it
   * exists.
   */
  Optional<HeldLease> create(String name, String holder);

  /**
   * Takes the lease over from the row as it was seen: raises the fence, waiting for transactions
   * that hold it. Empty when term or renewal counter moved since.
   */
  Optional<HeldLease> takeOver(LeaseRow seen, String holder);

  /**
   * Counts one renewal; empty when the term is no longer ours. Touches the lease row only, never
   * the fence.
   *
   * @param marks whether the mark rises by one: what the lease stands for is acted on
   */
  Optional<HeldLease> renew(HeldLease lease, boolean marks);

  /**
   * Hands the lease back, so that another may take it at once. Does nothing when it is no longer
   * ours.
   */
  void release(HeldLease lease);

  /**
   * Removes the lease for good: waits for transactions that hold its fence and shuts out later
   * ones. Leases that are created afterwards get terms and marks above its own. Part of the open
   * transaction, if there is one; does nothing when there is no such lease.
   */
  void remove(String name);

  /**
   * Runs the listener after the session was lost that shows others that this process lives: they
   * may take over at once what it holds, until it has renewed it.
   */
  void whenSessionEnds(Runnable listener);
}
