package dev.fairlead.work.workload.kubernetes.front;

import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Limits the visible Jobs of a front cluster, per namespace and in total, so that one full
 * namespace does not exclude many others.
 */
public final class FrontBound {
  private static final int OF_NAMESPACE = 15_000;
  private static final int IN_ALL = 60_000;

  /** A tenth of a limit must be free before omitted Jobs are listed again. */
  private static final int FREE_PARTS = 10;

  private final int ofNamespace;
  private final int inAll;
  private final SortedMap<String, Integer> counts = new TreeMap<>();
  private final SortedSet<String> leftOut = new TreeSet<>();
  private int all;

  public FrontBound() {
    this(OF_NAMESPACE, IN_ALL);
  }

  public FrontBound(int ofNamespace, int inAll) {
    this.ofNamespace = ofNamespace;
    this.inAll = inAll;
  }

  /** Counts one more Job of the namespace if it is within the limits. */
  synchronized boolean admits(String namespace) {
    if (counts.getOrDefault(namespace, 0) >= ofNamespace || all >= inAll) {
      leftOut.add(namespace);
      return false;
    }
    exceed(namespace);
    return true;
  }

  /** Counts one more Job of the namespace, even beyond the limits. */
  synchronized void exceed(String namespace) {
    counts.merge(namespace, 1, Integer::sum);
    all++;
  }

  /** Removes one Job of the namespace from the count. */
  synchronized void left(String namespace) {
    int there = counts.getOrDefault(namespace, 0);
    if (there <= 1) {
      counts.remove(namespace);
    } else {
      counts.put(namespace, there - 1);
    }
    all--;
  }

  /** Returns whether omitted Jobs fit again. Returns true once for each such change. */
  public synchronized boolean again() {
    boolean room =
        inAll - all >= inAll / FREE_PARTS
            && leftOut.stream()
                .anyMatch(namespace ->
                    ofNamespace - counts.getOrDefault(namespace, 0) >= ofNamespace / FREE_PARTS);
    if (room) {
      leftOut.clear();
    }
    return room;
  }

  /** Describes the omitted Jobs, null if there are none. */
  public synchronized @Nullable String trouble() {
    return leftOut.isEmpty()
        ? null
        : ("Jobs of namespace %s are not shown until others are deleted: at most %d per namespace"
                + " and %d in total are shown")
            .formatted(leftOut.first(), ofNamespace, inAll);
  }
}
