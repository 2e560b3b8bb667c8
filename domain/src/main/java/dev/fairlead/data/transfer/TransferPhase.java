package dev.fairlead.data.transfer;

/** Phase of a transfer. */
public enum TransferPhase {
  /** A job on the source cluster uploads the data to the bucket. */
  UPLOADING,
  /** A job takes the data out of the bucket into the target. */
  DOWNLOADING,
  /** A job on the target cluster reads the whole copy and compares checksums. */
  VERIFYING,
  /** The target has all data. A job deletes the staged objects from the bucket. */
  CLEANING,
  /** The target has all data of the moment of the upload. Jobs mount the source until cut-over. */
  READY,
  /** Aborted. A job deletes the staged objects from the bucket. */
  DROPPING,
  /** Failed. Its message gives the reason. The source is unchanged. */
  FAILED,
  /** The target has the name of the source, and the source the name of the target. */
  CUT_OVER,
  /** The volume has all objects of the prefix. */
  IMPORTED,
  /**
   * The transfer is abandoned. Its message names objects left in the bucket, and the reason why a
   * copy is retained.
   */
  DROPPED;

  /** Returns whether a job of it runs, or will run. */
  public boolean works() {
    return this == UPLOADING
        || this == DOWNLOADING
        || this == VERIFYING
        || this == CLEANING
        || this == DROPPING;
  }
}
