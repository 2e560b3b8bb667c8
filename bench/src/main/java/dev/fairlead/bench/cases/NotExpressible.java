package dev.fairlead.bench.cases;

/** A fact of a case has no counterpart in the product, so the case has no world. */
final class NotExpressible extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String fact;

  NotExpressible(Missing missing) {
    this(missing.text());
  }

  /**
   * @param fact in the words of the table
   */
  NotExpressible(String fact) {
    super(fact);
    this.fact = fact;
  }

  String fact() {
    return fact;
  }
}
