package dev.fairlead.verify.simulation.world;

/** The process is dead. Not an exception: product code must not continue. */
public final class ProcessDied extends Error {
  private static final long serialVersionUID = 1L;

  public ProcessDied(String where) {
    super(where, null, false, false);
  }
}
