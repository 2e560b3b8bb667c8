package dev.fairlead.launcher;

/** The service or its database did not start. The message has the reason and the next step. */
public final class StartFailed extends RuntimeException {
  private static final long serialVersionUID = 1;

  public StartFailed(String message) {
    super(message);
  }

  public StartFailed(String message, Throwable cause) {
    super(message, cause);
  }
}
