package dev.fairlead.data.volume;

/** State of a volume. */
public enum VolumeState {
  /** Requested, on no cluster: it restricts no job. */
  CLAIMED,
  /** The first job that mounts it was placed on the cluster. Nothing has been created yet. */
  PLACED,
  /** Its claim is on the cluster and its identity is stored. The cluster has not bound it yet. */
  PROVISIONING,
  /** The cluster has bound its claim. */
  BOUND,
  /**
   * Its claim no longer exists on the cluster, or another claim has its name. Fairlead creates no
   * other. The volume is found when the cluster shows the claim with the same UID again.
   */
  LOST,
  /** Deleted with its data retained: its claim stays on the cluster. */
  RETAINED,
  /** Deleted with its data discarded: an operator deletes its claim. */
  RELEASED
}
