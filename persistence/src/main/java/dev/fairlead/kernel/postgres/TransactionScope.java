package dev.fairlead.kernel.postgres;

import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * State of the open transaction of this thread. It exists from the start of the outermost
 * transaction to its end.
 */
public final class TransactionScope {
  private static final Object KEY = new Object();

  private final Set<Change> changes = EnumSet.noneOf(Change.class);
  private @Nullable UUID tenant;
  private final boolean ofLoops;
  private boolean acrossTenants;

  private TransactionScope(boolean ofLoops) {
    this.ofLoops = ofLoops;
    this.acrossTenants = ofLoops;
  }

  /**
   * Opens a scope before its transaction begins.
   *
   * @param ofLoops whether a loop began it: it then runs on a connection of loops, whose initial
   *     role acts for all tenants
   */
  public static TransactionScope open(boolean ofLoops) {
    TransactionScope scope = new TransactionScope(ofLoops);
    TransactionSynchronizationManager.bindResource(KEY, scope);
    return scope;
  }

  public static void close() {
    TransactionSynchronizationManager.unbindResourceIfPossible(KEY);
  }

  /** The scope of this thread, null outside a transaction. */
  public static @Nullable TransactionScope current() {
    return (TransactionScope) TransactionSynchronizationManager.getResource(KEY);
  }

  /** The tenant that was set, null if none. */
  public @Nullable UUID tenant() {
    return tenant;
  }

  /** Returns whether the transaction's connection is a connection of loops. */
  boolean ofLoops() {
    return ofLoops;
  }

  public boolean acrossTenants() {
    return acrossTenants;
  }

  void enter(@Nullable UUID id) {
    tenant = id;
    acrossTenants = false;
  }

  void leave() {
    tenant = null;
    acrossTenants = true;
  }

  void changed(Change change) {
    changes.add(change);
  }

  public Set<Change> changes() {
    return changes;
  }
}
