package dev.fairlead.kernel.transaction;

/**
 * The database connection was lost during a commit: either everything or nothing was stored, and
 * the outcome is unknown. The write is looked up by its key. It is never repeated blindly.
 */
public final class UnknownOutcome extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UnknownOutcome(Throwable cause) {
    super(
        "the database connection was lost during a commit: the write may or may not have been applied",
        cause);
  }
}
