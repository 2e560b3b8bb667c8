package dev.fairlead.kernel.transaction;

/**
 * The database was lost while a commit was under way: all of it is stored, or nothing, and nobody
 * knows. What was to be written is looked for by its own key; it is never written again blindly.
 */
public final class UnknownOutcome extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UnknownOutcome(Throwable cause) {
    super(
        "the database connection was lost during a commit: the write may or may not have been applied",
        cause);
  }
}
