package dev.fairlead.postgres;

import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * What is known of the transaction that is open on this thread. It exists from the begin of the
 * outermost transaction to its end.
 */
public final class TransactionScope {
  private static final Object KEY = new Object();

  private boolean fenced;
  private final Set<Change> changes = EnumSet.noneOf(Change.class);
  private @Nullable UUID tenant;

  private TransactionScope(boolean fenced) {
    this.fenced = fenced;
  }

  /** Begins; {@code fenced} transactions act for all tenants. */
  public static TransactionScope open(boolean fenced) {
    TransactionScope scope = new TransactionScope(fenced);
    TransactionSynchronizationManager.bindResource(KEY, scope);
    return scope;
  }

  public static void close() {
    TransactionSynchronizationManager.unbindResourceIfPossible(KEY);
  }

  /** The one of this thread, null outside of a transaction. */
  public static @Nullable TransactionScope current() {
    return (TransactionScope) TransactionSynchronizationManager.getResource(KEY);
  }

  boolean fenced() {
    return fenced;
  }

  /** A fence was locked inside: from here on it acts for all tenants. */
  public void fence() {
    fenced = true;
  }

  @Nullable UUID tenant() {
    return tenant;
  }

  void tenant(@Nullable UUID id) {
    tenant = id;
  }

  void changed(Change change) {
    changes.add(change);
  }

  public Set<Change> changes() {
    return changes;
  }
}
