package dev.fairlead.verify.simulation;

/** The process is dead. Not an exception: product code must not continue. */
final class Crash extends Error {
  private static final long serialVersionUID = 1L;

  Crash(String where) {
    super(where, null, false, false);
  }
}
