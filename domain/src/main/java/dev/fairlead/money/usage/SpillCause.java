package dev.fairlead.money.usage;

/**
 * What reserved capacity could have done, in the same hour, for a use of capacity that is paid by
 * the hour. Of those that apply to a part of the use the first counts.
 */
public enum SpillCause {
  /** Reserved GPUs of the model were free in the cluster of the use, for as long in sum. */
  FREE_IN_CLUSTER(true),
  /** They were free in other clusters. */
  FREE_ELSEWHERE(true),
  /** They were sick or in maintenance. */
  OUT_OF_SERVICE(false),
  /** Those that the tenant may use were used, kept or stranded. */
  FULL(false),
  /** Pools of other tenants had all that there were. */
  OF_OTHERS(false),
  /** No reserved GPU of the model was there. */
  NO_SUCH_MODEL(false),
  /** The hour was added up without capacity types of GPUs, before they were noted. */
  UNKNOWN(false);

  private final boolean servable;

  SpillCause(boolean servable) {
    this.servable = servable;
  }

  /** Whether reserved capacity was free for it. */
  public boolean servable() {
    return servable;
  }
}
