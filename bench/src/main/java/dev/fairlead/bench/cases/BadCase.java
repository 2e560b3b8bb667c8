package dev.fairlead.bench.cases;

/** A case file is invalid. The message names the file, the position and the expected value. */
final class BadCase extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String path;

  BadCase(String message) {
    this("", message);
  }

  /**
   * @param path of the value inside its file, as a JSON pointer, empty for none
   * @param message the expected value
   */
  BadCase(String path, String message) {
    super(message);
    this.path = path;
  }

  String path() {
    return path;
  }
}
