package dev.fairlead.data.volume;

/** Events that move a volume from one state to the next. */
public enum VolumeEvent {
  /** A job that mounts it is placed. */
  PLACED,
  /** No attempt that would use it remains, and no claim was created. */
  UNPLACED,
  /** Its claim exists, and its identity is stored. */
  PROVISIONED,
  /** The cluster reported that the claim is bound. */
  BOUND,
  /** The cluster reported that the claim does not exist, or is another claim. */
  LOST,
  /** The claim that was lost is on the cluster again, with the same UID. */
  FOUND,
  /** Deleted with its data retained. */
  RETAINED,
  /** The volume is deleted, and its data are discarded. */
  RELEASED
}
