package dev.fairlead.bench.cases;

/** A fact of a case has no counterpart in the product, so the case has no world. */
final class NotExpressible extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Missing missing;

  NotExpressible(Missing missing) {
    super(missing.text());
    this.missing = missing;
  }

  Missing missing() {
    return missing;
  }
}
