package dev.fairlead.care.supply;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a supplier is asked, the same again until it has answered.
 *
 * @param pool its name
 * @param cluster its name
 * @param labels that each node has
 * @param action what is asked for
 */
public record SupplyCall(
    Supply supply,
    String pool,
    String cluster,
    SortedMap<String, String> labels,
    SupplyRequest request,
    Action action) {
  public SupplyCall {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
  }

  /** What a supplier does for the key of a request. */
  public enum Action {
    /** Adds the nodes, once for each key. */
    REQUEST,
    /** Takes back every node of the key but those to keep, and adds no more for it. */
    RELEASE
  }
}
