package dev.fairlead.verify.simulation;

/** An invariant does not hold. */
final class Broken extends Error {
  private static final long serialVersionUID = 1L;

  private final Invariant invariant;

  Broken(Invariant invariant, String what) {
    super(invariant + ": " + what);
    this.invariant = invariant;
  }

  Invariant invariant() {
    return invariant;
  }
}
