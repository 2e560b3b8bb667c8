package dev.fairlead.care.supply;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A request to a provisioner, repeated unchanged until it answers.
 *
 * @param pool its name
 * @param cluster its name
 * @param labels labels of each node
 * @param action the requested action
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

  /** The requested action for the key of a request. */
  public enum Action {
    /** Adds the nodes, once for each key. */
    REQUEST,
    /** Returns every node of the key except the nodes to retain, and adds no more. */
    RELEASE
  }
}
