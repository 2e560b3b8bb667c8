package dev.fairlead.work.workload;

/** What came of making a supervisor's term the cluster's. */
public sealed interface TermClaim {
  TermClaim OURS = new Ours();

  /** It is: this supervisor may act there. */
  record Ours() implements TermClaim {}

  /** The cluster knows a higher one: somebody else acts there, or did after this was given out. */
  record Higher(long term) implements TermClaim {}

  /**
   * The cluster was told of a later state of the database than the one that asks: that one was
   * restored, or is a copy of the one that acts there.
   */
  record Ahead(long mark) implements TermClaim {}

  /** Not known now, or not yet in force; to be asked again, and nothing done until then. */
  record Unknown(String message) implements TermClaim {}
}
