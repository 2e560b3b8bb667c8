package dev.fairlead.launcher;

/**
 * The service or its database did not come up; the message says why and what to do, for a person.
 */
public final class StartFailed extends RuntimeException {
  private static final long serialVersionUID = 1;

  public StartFailed(String message) {
    super(message);
  }

  public StartFailed(String message, Throwable cause) {
    super(message, cause);
  }
}
