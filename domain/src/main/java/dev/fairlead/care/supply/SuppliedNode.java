package dev.fairlead.care.supply;

import dev.fairlead.fleet.node.NodeId;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A node that a supplier named for a request.
 *
 * @param id null before its cluster has shown it
 * @param readyAt when it could take jobs first
 * @param emptySince since when it has been empty; null while it is not
 * @param drainedAt since when it takes nothing new, as it is about to be handed back
 * @param returnedAt when it was given up, to be handed back
 * @param leftAt since when its cluster no longer shows it
 * @param trouble what is wrong with it, null for nothing
 * @param foreign whether it cannot have been added for the request: it is left alone
 * @param cordoned whether it was cordoned before it was drained, by an operator: it stays so when
 *     it is not handed back
 */
public record SuppliedNode(
    String name,
    @Nullable NodeId id,
    @Nullable Instant readyAt,
    @Nullable Instant emptySince,
    @Nullable Instant drainedAt,
    @Nullable Instant returnedAt,
    @Nullable Instant leftAt,
    @Nullable String trouble,
    boolean foreign,
    boolean cordoned) {
  static SuppliedNode named(String name) {
    return new SuppliedNode(name, null, null, null, null, null, null, null, false, false);
  }

  /** Whether jobs use it, or may: its cluster showed it, and it was not given up since. */
  public boolean kept() {
    return id != null && returnedAt == null;
  }

  /** Whether its cluster shows it, and it may have to be paid for. */
  boolean there() {
    return id != null && leftAt == null;
  }

  /** Whether it came, and never was what its request asked for. */
  boolean misfits() {
    return readyAt == null && trouble != null;
  }

  /** Whether it counts for its request. */
  boolean ready() {
    return readyAt != null && returnedAt == null;
  }

  /** Its cluster does not show it. */
  SuppliedNode unseen(Instant now) {
    if (!there()) {
      return this;
    }
    if (readyAt == null && drainedAt == null) {
      return new SuppliedNode(name, null, null, null, null, null, null, trouble, false, false);
    }
    boolean left = returnedAt == null;
    return new SuppliedNode(
        name,
        id,
        readyAt,
        emptySince,
        drainedAt,
        left ? now : returnedAt,
        now,
        left && trouble == null ? "left its cluster" : trouble,
        false,
        cordoned);
  }

  /** Its cluster shows it, and it is of others. */
  SuppliedNode left(NodeSighting seen) {
    return new SuppliedNode(
        name, null, null, null, null, null, null, seen.difference(), true, false);
  }

  /** Whether it is of others, as far as is known when its cluster shows it like that. */
  boolean isForeign(NodeSighting seen) {
    return id == null && seen.foreign();
  }

  /**
   * Its cluster shows it while its request waits for nodes, and it is not ready yet.
   *
   * @param wanted whether one more is
   */
  SuppliedNode awaited(NodeSighting seen, boolean wanted, Instant now) {
    String difference = seen.difference();
    return difference == null && seen.takes() && wanted
        ? new SuppliedNode(name, seen.id(), now, now, null, null, null, null, false, false)
        : new SuppliedNode(name, seen.id(), null, null, null, null, null, difference, false, false);
  }

  /** Its cluster shows it while it is in use. One that was brought back into use is in use. */
  SuppliedNode inUse(NodeSighting seen, boolean mayDrain, Duration releaseAfter, Instant now) {
    Instant drained = seen.takes() ? null : drainedAt;
    if (seen.used()) {
      return with(null, drained, null);
    }
    if (drained != null && emptySince != null) {
      return with(emptySince, drained, now);
    }
    Instant since = emptySince == null || drainedAt != null ? now : emptySince;
    boolean over = mayDrain && emptySince != null && !since.plus(releaseAfter).isAfter(now);
    return over && drained == null
        ? with(since, now, null).drainedAs(seen)
        : with(since, drained, null);
  }

  /** Its cluster shows it and its request has no use for it, or no longer. */
  SuppliedNode unwanted(NodeSighting seen, Instant now) {
    SuppliedNode shown =
        new SuppliedNode(
            name,
            seen.id(),
            readyAt,
            emptySince,
            drainedAt,
            returnedAt,
            null,
            trouble,
            false,
            cordoned);
    if (seen.used()) {
      return shown.with(null, drainedAt, null);
    }
    if (seen.takes() || drainedAt == null) {
      return shown.with(emptySince, now, returnedAt).drainedAs(seen);
    }
    return shown.with(emptySince, drainedAt, returnedAt == null ? now : returnedAt);
  }

  private SuppliedNode with(
      @Nullable Instant empty, @Nullable Instant drained, @Nullable Instant returned) {
    return new SuppliedNode(
        name, id, readyAt, empty, drained, returned, leftAt, trouble, foreign, cordoned);
  }

  /** It is drained from now on. */
  private SuppliedNode drainedAs(NodeSighting seen) {
    return new SuppliedNode(
        name,
        id,
        readyAt,
        emptySince,
        drainedAt,
        returnedAt,
        leftAt,
        trouble,
        foreign,
        seen.cordoned());
  }
}
