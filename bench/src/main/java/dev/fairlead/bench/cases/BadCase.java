package dev.fairlead.bench.cases;

/** A case file cannot be used; the message names file, path inside it, and what was expected. */
final class BadCase extends RuntimeException {
  private static final long serialVersionUID = 1;

  BadCase(String message) {
    super(message);
  }
}
