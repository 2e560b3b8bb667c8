package dev.fairlead.kernel.postgres;

/** The database cannot be migrated as it is, or by this login. */
final class UnfitDatabase extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final String next;

  /**
   * @param next what to do
   */
  UnfitDatabase(String message, String next) {
    super(message);
    this.next = next;
  }

  String next() {
    return next;
  }
}
