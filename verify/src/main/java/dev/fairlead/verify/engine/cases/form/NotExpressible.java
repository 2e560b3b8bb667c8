package dev.fairlead.verify.engine.cases.form;

/** The product does not support a fact of a case, so the case has no snapshot. */
public final class NotExpressible extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String fact;

  public NotExpressible(Missing missing) {
    this(missing.text());
  }

  /**
   * @param fact in the words of the table
   */
  public NotExpressible(String fact) {
    super(fact);
    this.fact = fact;
  }

  public String fact() {
    return fact;
  }
}
