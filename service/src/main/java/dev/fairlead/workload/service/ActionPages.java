package dev.fairlead.workload.service;

import dev.fairlead.attempt.ActionRequest;
import dev.fairlead.attempt.ActionRequest.Kind;
import dev.fairlead.attempt.AttemptId;
import dev.fairlead.identity.ClusterId;
import dev.fairlead.workload.service.attempt.AttemptRepository;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Which attempts of a cluster ask for an action, a page of each kind at a turn. Where there are
 * more, the next turn reads the next page of that kind, until all were read once. A request that
 * was looked at and did not change since is not looked at again before its time.
 *
 * <p>For one thread.
 */
final class ActionPages {
  /** Requests of each kind in a page. */
  static final int EACH = 250;

  private final AttemptRepository desk;
  private final ClusterId cluster;
  private final SortedMap<Kind, AttemptId> after = new TreeMap<>();
  private final Map<AttemptId, ActionRequest> looked = new TreeMap<>();
  private List<ActionRequest> page = List.of();

  /** Attempts to clear away that were read since their first page, and in the round before. */
  private long clearable;

  private long clearableBefore;

  ActionPages(AttemptRepository desk, ClusterId cluster) {
    this.desk = desk;
    this.cluster = cluster;
  }

  /**
   * @param stuck of which attempts it is known that they cannot be cleared away
   */
  List<ActionRequest> next(Predicate<AttemptId> stuck) {
    if (!after.containsKey(Kind.CLEAR)) {
      clearableBefore = clearable;
      clearable = 0;
    }
    page = desk.actionable(cluster, new ActionRequest.Window(after, EACH));
    after.clear();
    for (Kind kind : Kind.values()) {
      List<ActionRequest> requests = page.stream().filter(r -> r.kind() == kind).toList();
      if (requests.size() == EACH) {
        after.put(kind, requests.getLast().attempt());
      }
    }
    clearable +=
        page.stream().filter(r -> r.kind() == Kind.CLEAR && !stuck.test(r.attempt())).count();
    return page;
  }

  /** Whether another page follows. */
  boolean more() {
    return !after.isEmpty();
  }

  /**
   * Whether so many attempts have ended that nothing of them is kept for later. Those that cannot
   * be cleared away do not count: it would not make them fewer.
   */
  boolean crowded() {
    return after.containsKey(Kind.CLEAR) && Math.max(clearable, clearableBefore) >= EACH;
  }

  /** Whether it asks for what it asked for when it was looked at last. */
  boolean same(ActionRequest request) {
    return request.equals(looked.get(request.attempt()));
  }

  /**
   * The page was looked at.
   *
   * @param waiting attempts that are to be looked at again later; the others are forgotten
   */
  void looked(Collection<AttemptId> waiting) {
    page.forEach(request -> looked.put(request.attempt(), request));
    looked.keySet().retainAll(waiting);
  }

  void forget() {
    after.clear();
    looked.clear();
    page = List.of();
    clearable = 0;
    clearableBefore = 0;
  }
}
