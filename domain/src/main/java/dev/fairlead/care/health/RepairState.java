package dev.fairlead.care.health;

/** Where the repair of a node stands. */
public enum RepairState {
  /** Its step is not asked for yet: jobs hold the node, others are repaired, or it is held. */
  WAITING,
  /** Its step is asked for; ends with the word that it is done, or skipped. */
  ASKED,
  /** A step is done: the node waits to be released. */
  REPAIRED,
  /** The node has no quarantine of an incident any more. */
  ENDED
}
