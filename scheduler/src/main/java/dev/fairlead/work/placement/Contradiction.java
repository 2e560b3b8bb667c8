package dev.fairlead.work.placement;

/**
 * A row of the snapshot that contradicts other rows. The plan ignores it.
 *
 * @param subject name of the object that the row describes
 * @param text description of the fault, for an operator
 */
public record Contradiction(Kind kind, String subject, String text) {
  public enum Kind {
    /** A quota node with a broken path to the root. The row admits no job. */
    BROKEN_QUOTA,
    /** A negative amount that must not be negative. The amount counts as zero. */
    NEGATIVE_AMOUNT,
    /** Two nodes with one id, or with one name in a cluster. The newer node counts. */
    DUPLICATE_NODE,
    /** Two clusters with one id or name. The newer cluster counts. */
    DUPLICATE_CLUSTER,
    /** A node of a cluster that does not exist. The node is ignored. */
    NODE_WITHOUT_CLUSTER
  }
}
