package dev.fairlead.kernel.errors;

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

/** Distinguishes an unreachable or slow database from other errors. */
public final class DatabaseTrouble {
  private static final int DEEPEST = 12;
  private static final String DISK_FULL = "53100";

  private DatabaseTrouble() {}

  /**
   * Returns whether the exception or one of its causes means that the database is unreachable or
   * too slow.
   */
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

  /** Returns whether the database cannot write because its disk is full. */
  public static boolean full(Throwable thrown) {
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
   * Connection errors, operator intervention (shutdown, statement timeout), too many connections.
   * The pool reports no state for a connection that broke before.
   */
  private static boolean away(@Nullable String state) {
    return state == null
        || state.startsWith("08")
        || state.startsWith("57")
        || state.startsWith("53");
  }
}
