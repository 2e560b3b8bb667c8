package dev.fairlead.supply;

/**
 * What a supplier is asked, the same again until it has answered.
 *
 * @param pool its name
 * @param cluster its name
 * @param action what is asked for
 */
public record SupplyCall(
    Supply supply, String pool, String cluster, SupplyRequest request, Action action) {
  /** What a supplier does for the key of a request. */
  public enum Action {
    /** Adds the nodes, once for each key. */
    REQUEST,
    /** Takes back every node of the key but those to keep, and adds no more for it. */
    RELEASE
  }
}
