package dev.fairlead.work.workload.service;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.attempt.ActionRequest;
import dev.fairlead.work.attempt.ActionRequest.Kind;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.workload.service.attempt.AttemptRepository;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Selects the attempts of a cluster that request an action, a page of each kind in each pass. If
 * there are more, each pass reads the next page of that kind until all requests have been read
 * once. The next page begins with the first attempt that did not fit the pass. An unchanged request
 * is not examined again before its time.
 *
 * <p>Not thread-safe.
 */
final class ActionPages {
  /** Requests of each kind in a page: the capacity of a pass if each attempt has one member. */
  static final int EACH = 128;

  /** Number of ended attempts at which the retention of pods stops. */
  private static final int CROWD = 250;

  private final AttemptRepository repository;
  private final ClusterId cluster;
  private final SortedMap<Kind, AttemptId> after = new TreeMap<>();
  private final Map<AttemptId, ActionRequest> looked = new TreeMap<>();
  private SortedMap<Kind, AttemptId> before = new TreeMap<>();
  private List<ActionRequest> page = List.of();
  private Set<AttemptId> counted = Set.of();

  /** Attempts to clean up that were read since the first page and in the previous round. */
  private long clearable;

  private long clearableBefore;

  ActionPages(AttemptRepository repository, ClusterId cluster) {
    this.repository = repository;
    this.cluster = cluster;
  }

  /**
   * @param stuck tests whether the cleanup of an attempt is known to fail
   */
  List<ActionRequest> next(Predicate<AttemptId> stuck) {
    if (!after.containsKey(Kind.CLEAR)) {
      clearableBefore = clearable;
      clearable = 0;
    }
    before = new TreeMap<>(after);
    page = repository.actionable(cluster, new ActionRequest.Window(before, EACH));
    after.clear();
    for (Kind kind : Kind.values()) {
      List<AttemptId> asking = asking(kind);
      if (asking.size() == EACH) {
        after.put(kind, asking.getLast());
      }
    }
    counted = asking(Kind.CLEAR).stream().filter(Predicate.not(stuck)).collect(Collectors.toSet());
    clearable += counted.size();
    return page;
  }

  private List<AttemptId> asking(Kind kind) {
    return page.stream().filter(r -> r.kind() == kind).map(ActionRequest::attempt).toList();
  }

  /** Returns whether another page follows. */
  boolean more() {
    return !after.isEmpty();
  }

  /**
   * Returns whether too many attempts have ended to retain their pods. Attempts with a failing
   * cleanup do not count, because their removal would not lower the number.
   */
  boolean crowded() {
    return after.containsKey(Kind.CLEAR) && Math.max(clearable, clearableBefore) >= CROWD;
  }

  /** Returns whether the request equals the last examined request. */
  boolean same(ActionRequest request) {
    return request.equals(looked.get(request.attempt()));
  }

  /**
   * The page was examined.
   *
   * @param waiting attempts to examine again later. The others are dropped
   * @param left attempts with a step that did not fit
   */
  void looked(Collection<AttemptId> waiting, Set<AttemptId> left) {
    page.forEach(request -> looked.put(request.attempt(), request));
    looked.keySet().retainAll(waiting);
    for (Kind kind : Kind.values()) {
      goBack(kind, left);
    }
  }

  /** The next page begins with the first attempt that did not fit. */
  private void goBack(Kind kind, Set<AttemptId> left) {
    List<AttemptId> asking = asking(kind);
    int seen = (int) asking.stream().takeWhile(id -> !left.contains(id)).count();
    if (seen == asking.size()) {
      return;
    }
    AttemptId last = seen == 0 ? before.get(kind) : asking.get(seen - 1);
    if (last == null) {
      after.remove(kind);
    } else {
      after.put(kind, last);
    }
    clearable -= asking.subList(seen, asking.size()).stream().filter(counted::contains).count();
  }

  void forget() {
    after.clear();
    looked.clear();
    before.clear();
    page = List.of();
    counted = Set.of();
    clearable = 0;
    clearableBefore = 0;
  }
}
