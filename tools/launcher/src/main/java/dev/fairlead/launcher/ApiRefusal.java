package dev.fairlead.launcher;

/** The API answered with a problem document. */
public final class ApiRefusal extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final int status;
  private final String code;

  public ApiRefusal(int status, String code, String detail) {
    super(status + " " + code + ": " + detail);
    this.status = status;
    this.code = code;
  }

  public int status() {
    return status;
  }

  /**
   * Code of the problem, such as {@code NAME_IN_USE}, empty when the response was not a problem
   * document.
   */
  public String code() {
    return code;
  }
}
