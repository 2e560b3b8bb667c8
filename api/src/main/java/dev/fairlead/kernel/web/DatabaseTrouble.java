package dev.fairlead.kernel.web;

import dev.fairlead.kernel.transaction.UnknownOutcome;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionTimedOutException;

/** Tells a database that is away, or too slow, from a mistake. */
public final class DatabaseTrouble {
  private static final int DEEPEST = 12;
  private static final String DISK_FULL = "53100";

  private DatabaseTrouble() {}

  /** Whether it, or what caused it, is of a database that is away or too slow. */
  public static boolean in(Throwable thrown) {
    @Nullable Throwable cause = thrown;
    for (int i = 0; i < DEEPEST && cause != null; i++) {
      if (cause instanceof DataAccessResourceFailureException
          || cause instanceof TransientDataAccessException
          || cause instanceof RecoverableDataAccessException
          || cause instanceof CannotCreateTransactionException
          || cause instanceof UnknownOutcome
          || cause instanceof TransactionTimedOutException
          || cause instanceof SQLTransientException
          || cause instanceof SQLRecoverableException
          || cause instanceof SQLException sql && away(sql.getSQLState())) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  /** Whether it stores nothing since its disk is full. */
  static boolean full(Throwable thrown) {
    @Nullable Throwable cause = thrown;
    for (int i = 0; i < DEEPEST && cause != null; i++) {
      if (cause instanceof SQLException sql && DISK_FULL.equals(sql.getSQLState())) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  /**
   * Connection trouble, operator intervention (shutdown, statement timeout), too many connections.
   * No state at all is the pool's word for a connection that broke before.
   */
  private static boolean away(@Nullable String state) {
    return state == null
        || state.startsWith("08")
        || state.startsWith("57")
        || state.startsWith("53");
  }
}
