package dev.fairlead.supply;

import dev.fairlead.node.NodeId;
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
 * @param trouble what is wrong with it, null for nothing
 */
public record SuppliedNode(
    String name,
    @Nullable NodeId id,
    @Nullable Instant readyAt,
    @Nullable Instant emptySince,
    @Nullable Instant drainedAt,
    @Nullable Instant returnedAt,
    @Nullable String trouble) {
  static SuppliedNode named(String name) {
    return new SuppliedNode(name, null, null, null, null, null, null);
  }

  /** Whether jobs use it, or may. */
  public boolean kept() {
    return readyAt != null && returnedAt == null;
  }

  /** Whether it counts for its request. */
  boolean right() {
    return trouble == null;
  }

  SuppliedNode wrong(String why) {
    return new SuppliedNode(name, id, readyAt, emptySince, drainedAt, returnedAt, why);
  }

  SuppliedNode ready(NodeId seen, Instant at) {
    return new SuppliedNode(name, seen, at, at, null, null, null);
  }

  SuppliedNode empty(@Nullable Instant since) {
    return new SuppliedNode(name, id, readyAt, since, drainedAt, returnedAt, trouble);
  }

  SuppliedNode drained(Instant at) {
    return new SuppliedNode(name, id, readyAt, emptySince, at, returnedAt, trouble);
  }

  SuppliedNode returned(Instant at, @Nullable String why) {
    return new SuppliedNode(name, id, readyAt, emptySince, drainedAt, at, why);
  }
}
