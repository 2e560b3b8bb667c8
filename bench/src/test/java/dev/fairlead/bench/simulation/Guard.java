package dev.fairlead.bench.simulation;

/** Guards that a negative control takes away. */
enum Guard {
  /** A transaction under a deposed term is refused. */
  FENCE,
  /** As FENCE, and nobody minds: for the guards that must hold behind it. */
  FENCE_CHECK,
  /** Quota is checked in the allocation's transaction. */
  QUOTA,
  /** Room and GPU slots are checked in the allocation's transaction. */
  ROOM,
  /** An observation of another UID is not the member's own. */
  UID,
  /** Silence is no evidence of death. */
  EVIDENCE,
  /** A member counts as never created only when its name was read as free. */
  ABSENT,
  /** A create that lands after its attempt was stopped makes nothing. */
  TOMBSTONE
}
