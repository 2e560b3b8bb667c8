package dev.fairlead.work.workload.kubernetes;

import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * How many Jobs of a front cluster are shown: so many of one namespace, so that one that is full of
 * them keeps few others out, and so many in all.
 */
final class FrontBound {
  private static final int OF_NAMESPACE = 15_000;
  private static final int IN_ALL = 60_000;

  /** There is room again for what was left out when so many parts of a bound are free. */
  private static final int FREE_PARTS = 10;

  private final int ofNamespace;
  private final int inAll;
  private final SortedMap<String, Integer> counts = new TreeMap<>();
  private final SortedSet<String> leftOut = new TreeSet<>();
  private int all;

  FrontBound() {
    this(OF_NAMESPACE, IN_ALL);
  }

  FrontBound(int ofNamespace, int inAll) {
    this.ofNamespace = ofNamespace;
    this.inAll = inAll;
  }

  /** Counts one more of the namespace, if it is shown. */
  synchronized boolean admits(String namespace) {
    if (counts.getOrDefault(namespace, 0) >= ofNamespace || all >= inAll) {
      leftOut.add(namespace);
      return false;
    }
    exceed(namespace);
    return true;
  }

  /** Counts one more of the namespace, also beyond the bound. */
  synchronized void exceed(String namespace) {
    counts.merge(namespace, 1, Integer::sum);
    all++;
  }

  /** One of the namespace is not shown any more. */
  synchronized void left(String namespace) {
    int there = counts.getOrDefault(namespace, 0);
    if (there <= 1) {
      counts.remove(namespace);
    } else {
      counts.put(namespace, there - 1);
    }
    all--;
  }

  /** Whether there is room again for some that were left out; asked once for each such room. */
  synchronized boolean again() {
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

  /** What is left out, null for nothing. */
  synchronized @Nullable String trouble() {
    return leftOut.isEmpty()
        ? null
        : "Jobs of namespace %s are left out until others are gone: at most %d of a namespace and %d in all are shown"
            .formatted(leftOut.first(), ofNamespace, inAll);
  }
}
