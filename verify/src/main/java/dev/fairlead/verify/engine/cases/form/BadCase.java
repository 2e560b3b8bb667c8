package dev.fairlead.verify.engine.cases.form;

/** A case file is invalid. The message names the file, the position and the expected value. */
public final class BadCase extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String path;

  public BadCase(String message) {
    this("", message);
  }

  /**
   * @param path path of the value inside its file, as a JSON pointer, empty if none
   * @param message the expected value
   */
  public BadCase(String path, String message) {
    super(message);
    this.path = path;
  }

  public String path() {
    return path;
  }
}
