package dev.fairlead.kernel.postgres;

/** The database cannot be migrated in its current state, or with this login. */
final class UnfitDatabase extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final String next;

  /**
   * @param next next step
   */
  UnfitDatabase(String message, String next) {
    super(message);
    this.next = next;
  }

  /**
   * @param next next step
   */
  UnfitDatabase(String message, String next, Exception cause) {
    super(message, cause);
    this.next = next;
  }

  String next() {
    return next;
  }
}
