package dev.fairlead.work.placement;

/**
 * A row of the snapshot that does not go with the others; it was planned around.
 *
 * @param subject name of what the row is about
 * @param text what is wrong, for an operator
 */
public record Contradiction(Kind kind, String subject, String text) {
  /** What is wrong. */
  public enum Kind {
    /** A node of the quota tree with a broken path to the root: it admits no job. */
    BROKEN_QUOTA,
    /** An amount below zero where there can be none: it counts as zero. */
    NEGATIVE_AMOUNT,
    /** Two nodes of one id, or of one name in one cluster: the newer counts. */
    DUPLICATE_NODE,
    /** Two clusters of one id or name: the newer counts. */
    DUPLICATE_CLUSTER,
    /** A node of a cluster that is not there: it is left out. */
    NODE_WITHOUT_CLUSTER
  }
}
