package dev.fairlead.bench.cases;

/** The product does not support a fact of a case, so the case has no snapshot. */
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
