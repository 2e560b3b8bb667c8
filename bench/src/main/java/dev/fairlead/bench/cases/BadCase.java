package dev.fairlead.bench.cases;

/** A case file cannot be used; the message names file, place inside it, and what was expected. */
final class BadCase extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String path;

  BadCase(String message) {
    this("", message);
  }

  /**
   * @param path of the value inside its file, as a JSON pointer; empty for none
   * @param message what was expected there
   */
  BadCase(String path, String message) {
    super(message);
    this.path = path;
  }

  String path() {
    return path;
  }
}
