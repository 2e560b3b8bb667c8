package dev.fairlead.verify;

/**
 * Invalid arguments or an invalid file. The message names the problem, the position and the
 * expected value.
 */
public final class BadInput extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  public BadInput(String message) {
    super(message);
  }

  public BadInput(String message, Throwable cause) {
    super(message, cause);
  }
}
