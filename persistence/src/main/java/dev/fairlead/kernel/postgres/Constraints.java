package dev.fairlead.kernel.postgres;

import java.sql.SQLException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataIntegrityViolationException;

/** The kind of constraint that refused a statement, by its SQLSTATE. */
public final class Constraints {
  private static final String UNIQUE = "23505";
  private static final String EXCLUSION = "23P01";
  private static final String FOREIGN_KEY = "23503";
  private static final int CAUSES = 10;

  private Constraints() {}

  /**
   * Runs a write that unique constraints guard.
   *
   * @param taken exception to throw after a refusal
   */
  public static void unique(Runnable write, Supplier<? extends RuntimeException> taken) {
    try {
      write.run();
    } catch (DataIntegrityViolationException e) {
      throw UNIQUE.equals(state(e)) ? taken.get() : e;
    }
  }

  /**
   * Runs a write that exclusion constraints guard.
   *
   * @param taken exception to throw after a refusal
   */
  public static void exclusive(Runnable write, Supplier<? extends RuntimeException> taken) {
    try {
      write.run();
    } catch (DataIntegrityViolationException e) {
      throw EXCLUSION.equals(state(e)) ? taken.get() : e;
    }
  }

  /** Returns whether a unique constraint refused the statement. */
  public static boolean refusedUnique(Throwable failure) {
    return UNIQUE.equals(state(failure));
  }

  /** Returns whether a foreign key refused the statement. */
  public static boolean refusedReference(Throwable failure) {
    return FOREIGN_KEY.equals(state(failure));
  }

  /** The result is null if the database is not the cause. */
  private static @Nullable String state(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; i < CAUSES && cause != null; i++) {
      if (cause instanceof SQLException sql) {
        return sql.getSQLState();
      }
      cause = cause.getCause();
    }
    return null;
  }
}
