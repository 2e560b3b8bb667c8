package dev.fairlead.kernel.web;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says that it was the database, in three lines in the place of a stack. */
final class DatabaseAwayAnalyzer extends AbstractFailureAnalyzer<Exception> {
  @Override
  protected @Nullable FailureAnalysis analyze(Throwable root, Exception failed) {
    if (!DatabaseTrouble.in(failed)) {
      return null;
    }
    return new FailureAnalysis(
        "The database does not answer: " + message(failed),
        "Look at the database, and at FAIRLEAD_DB_URL, FAIRLEAD_DB_USER and FAIRLEAD_DB_PASSWORD.",
        failed);
  }

  /** That of the driver; below it there is only what its socket met. */
  private static @Nullable String message(Throwable failed) {
    for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException) {
        return cause.getMessage();
      }
    }
    return failed.getMessage();
  }
}
