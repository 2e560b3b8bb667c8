package dev.fairlead.kernel.errors;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports an unreachable database in three lines instead of a stack trace. */
final class DatabaseAwayAnalyzer extends AbstractFailureAnalyzer<Exception> {
  @Override
  protected @Nullable FailureAnalysis analyze(Throwable root, Exception failed) {
    if (!DatabaseTrouble.in(failed)) {
      return null;
    }
    return new FailureAnalysis(
        "The database does not answer: " + message(failed),
        "Check the database, FAIRLEAD_DB_URL, FAIRLEAD_DB_USER and FAIRLEAD_DB_PASSWORD.",
        failed);
  }

  /** The exception of the driver. Its causes contain only socket errors. */
  private static @Nullable String message(Throwable failed) {
    for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException) {
        return cause.getMessage();
      }
    }
    return failed.getMessage();
  }
}
