package dev.fairlead.work.workload;

/** Result of claiming a cluster for a supervisor's term. */
public sealed interface TermClaim {
  TermClaim OURS = new Ours();

  /** It is: this supervisor may act there. */
  record Ours() implements TermClaim {}

  /**
   * The cluster has a higher term: another process acts there, or did after this term was issued.
   */
  record Higher(long term) implements TermClaim {}

  /**
   * The cluster has a later state of the database than the claiming database, which was restored or
   * is a copy of the active one.
   */
  record Ahead(long mark) implements TermClaim {}

  /** Not known now, or not yet in force. Repeat the claim, and do nothing until then. */
  record Unknown(String message) implements TermClaim {}
}
