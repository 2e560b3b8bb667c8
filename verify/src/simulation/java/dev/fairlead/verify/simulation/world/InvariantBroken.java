package dev.fairlead.verify.simulation.world;

/** An invariant does not hold. */
public final class InvariantBroken extends Error {
  private static final long serialVersionUID = 1L;

  private final Invariant invariant;

  public InvariantBroken(Invariant invariant, String what) {
    super(invariant + ": " + what);
    this.invariant = invariant;
  }

  public Invariant invariant() {
    return invariant;
  }
}
