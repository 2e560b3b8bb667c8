package dev.fairlead.data.volume;

/** How far a volume has come. */
public enum VolumeState {
  /** Asked for, on no cluster: it restricts no job. */
  CLAIMED,
  /** The job that mounts it first was placed there. Nothing was made yet. */
  PLACED,
  /** Its claim is on the cluster and its identity is stored. The cluster has not bound it yet. */
  PROVISIONING,
  /** The cluster has bound its claim. */
  BOUND,
  /**
   * Its claim is gone from the cluster, or another one has its name: Fairlead makes no other. The
   * volume is found when the cluster shows the claim with the same UID again.
   */
  LOST,
  /** Deleted with its data retained: its claim stays on the cluster. */
  RETAINED,
  /** Deleted, and its data are not wanted: its claim is for an operator to delete. */
  RELEASED
}
