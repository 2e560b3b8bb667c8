package dev.fairlead.money.usage;

/**
 * Possible service by reserved capacity, in the same hour, for a use of capacity that is paid by
 * the hour. The first matching cause of a part applies.
 */
public enum SpillCause {
  /**
   * Reserved GPUs of the model were free in the cluster on which the usage occurred, for as long in
   * sum.
   */
  FREE_IN_CLUSTER(true),
  /** Reserved GPUs were free in other clusters. */
  FREE_ELSEWHERE(true),
  /** Reserved GPUs were unhealthy or in maintenance. */
  OUT_OF_SERVICE(false),
  /** The GPUs available to the tenant were used, reserved or stranded. */
  FULL(false),
  /** All such capacity was in pools of other tenants. */
  OF_OTHERS(false),
  /** No reserved GPU of the model existed. */
  NO_SUCH_MODEL(false);

  private final boolean servable;

  SpillCause(boolean servable) {
    this.servable = servable;
  }

  /** Returns whether the job could have used free reserved capacity. */
  public boolean servable() {
    return servable;
  }
}
