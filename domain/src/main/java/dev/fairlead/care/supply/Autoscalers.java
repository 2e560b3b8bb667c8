package dev.fairlead.care.supply;

/** The autoscalers of clusters. */
public interface Autoscalers {
  /**
   * Calls the autoscaler of the request's cluster once, for at most a few seconds. Must not be
   * called inside a transaction.
   */
  SupplyAnswer ask(SupplyCall call);
}
