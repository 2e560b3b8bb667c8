package dev.fairlead.people.audit.service;

/** The database was written under a different key file than that of this process. */
public final class ForeignDatabase extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final String next;

  /**
   * @param next the next step
   */
  ForeignDatabase(String message, String next) {
    super(message);
    this.next = next;
  }

  public String next() {
    return next;
  }
}
