package dev.fairlead.care.supply;

import dev.fairlead.fleet.node.NodeId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A node that a provisioner named for a request.
 *
 * @param id null before its cluster has shown it
 * @param readyAt time when it first could accept jobs
 * @param emptySince start of the time in which it has been empty, null while it is not
 * @param drainedAt time since when it accepts no new work, because it is about to be returned
 * @param returnedAt time when it was released for return
 * @param leftAt time since when its cluster no longer lists it
 * @param trouble problem of the node, null if none
 * @param foreign whether it cannot have been added for the request, so it is not touched
 * @param cordoned whether an operator cordoned it before it was drained. If it is not returned, it
 *     stays cordoned
 */
@RecordBuilder
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
    boolean cordoned)
    implements SuppliedNodeBuilder.With {
  static SuppliedNode named(String name) {
    return SuppliedNodeBuilder.builder()
        .name(name)
        .id(null)
        .readyAt(null)
        .emptySince(null)
        .drainedAt(null)
        .returnedAt(null)
        .leftAt(null)
        .trouble(null)
        .foreign(false)
        .cordoned(false)
        .build();
  }

  /**
   * Returns whether jobs use it or may use it: its cluster showed it, and it has not been released.
   */
  public boolean kept() {
    return id != null && returnedAt == null;
  }

  /** Returns whether the cluster reports the node, so that the node may be billed. */
  boolean there() {
    return id != null && leftAt == null;
  }

  /** Returns whether the node arrived but never matched its request. */
  boolean misfits() {
    return readyAt == null && trouble != null;
  }

  /** Returns whether the node counts towards its request. */
  boolean ready() {
    return readyAt != null && returnedAt == null;
  }

  /** Updates a node that its cluster does not show. */
  SuppliedNode missing(Instant now) {
    if (!there()) {
      return this;
    }
    if (readyAt == null && drainedAt == null) {
      return SuppliedNodeBuilder.builder()
          .name(name)
          .id(null)
          .readyAt(null)
          .emptySince(null)
          .drainedAt(null)
          .returnedAt(null)
          .leftAt(null)
          .trouble(trouble)
          .foreign(false)
          .cordoned(false)
          .build();
    }
    boolean left = returnedAt == null;
    return with()
        .returnedAt(left ? now : returnedAt)
        .leftAt(now)
        .trouble(left && trouble == null ? "left its cluster" : trouble)
        .foreign(false)
        .build();
  }

  /** Updates a node that its cluster shows and that is foreign. */
  SuppliedNode left(NodeSighting seen) {
    return SuppliedNodeBuilder.builder()
        .name(name)
        .id(null)
        .readyAt(null)
        .emptySince(null)
        .drainedAt(null)
        .returnedAt(null)
        .leftAt(null)
        .trouble(seen.difference())
        .foreign(true)
        .cordoned(false)
        .build();
  }

  /** Returns whether this observation shows that the node is foreign. */
  boolean isForeign(NodeSighting seen) {
    return id == null && seen.foreign();
  }

  /**
   * Updates a node that its cluster shows while its request waits for nodes, before it is ready.
   *
   * @param wanted whether one more node is needed
   */
  SuppliedNode awaited(NodeSighting seen, boolean wanted, Instant now) {
    String difference = seen.difference();
    return difference == null && seen.takes() && wanted
        ? SuppliedNodeBuilder.builder()
            .name(name)
            .id(seen.id())
            .readyAt(now)
            .emptySince(now)
            .drainedAt(null)
            .returnedAt(null)
            .leftAt(null)
            .trouble(null)
            .foreign(false)
            .cordoned(false)
            .build()
        : SuppliedNodeBuilder.builder()
            .name(name)
            .id(seen.id())
            .readyAt(null)
            .emptySince(null)
            .drainedAt(null)
            .returnedAt(null)
            .leftAt(null)
            .trouble(difference)
            .foreign(false)
            .cordoned(false)
            .build();
  }

  /** Updates a node in use. A node that was returned to service counts as in use. */
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

  /** Updates a node that its request does not need, or no longer needs. */
  SuppliedNode unwanted(NodeSighting seen, Instant now) {
    SuppliedNode shown = with().id(seen.id()).leftAt(null).foreign(false).build();
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
    return with().emptySince(empty).drainedAt(drained).returnedAt(returned).build();
  }

  /** Starts to drain the node. */
  private SuppliedNode drainedAs(NodeSighting seen) {
    return withCordoned(seen.cordoned());
  }
}
