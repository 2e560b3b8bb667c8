package dev.fairlead.bench.replay;

/** Arguments or a file cannot be used; the message names what, where, and what was expected. */
public final class BadInput extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  public BadInput(String message) {
    super(message);
  }

  public BadInput(String message, Throwable cause) {
    super(message, cause);
  }
}
