package dev.fairlead.care.supply;

/** The autoscalers of clusters. */
public interface Autoscalers {
  /**
   * Asks that of the request's cluster once, for some seconds at most. Not inside a transaction.
   */
  SupplyAnswer ask(SupplyCall call);
}
