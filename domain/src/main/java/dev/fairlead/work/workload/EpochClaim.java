package dev.fairlead.work.workload;

/** Result of claiming a cluster for a supervisor's epoch. */
public sealed interface EpochClaim {
  EpochClaim OURS = new Ours();

  /** The claim succeeded: this supervisor may act there. */
  record Ours() implements EpochClaim {}

  /**
   * The cluster has a higher epoch: another process acts on it, or did after this epoch was issued.
   */
  record Higher(long epoch) implements EpochClaim {}

  /**
   * The cluster has a later state of the database than the claiming database, which was restored or
   * is a copy of the active one.
   */
  record Ahead(long watermark) implements EpochClaim {}

  /**
   * The result is unknown, or the claim is not yet in effect. The caller repeats the claim, and
   * takes no action before a claim succeeds.
   */
  record Unknown(String message) implements EpochClaim {}
}
