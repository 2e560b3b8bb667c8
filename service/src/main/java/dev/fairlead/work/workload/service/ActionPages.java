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
 * Which attempts of a cluster ask for an action, a page of each kind at a turn. Where there are
 * more, the next turn reads the next page of that kind, until all were read once; it begins with
 * the first one whose step did not fit the turn. A request that was looked at and did not change
 * since is not looked at again before its time.
 *
 * <p>For one thread.
 */
final class ActionPages {
  /** Requests of each kind in a page: as many as a turn has room for, when each has one member. */
  static final int EACH = 128;

  /** So many ended attempts are a crowd. */
  private static final int CROWD = 250;

  private final AttemptRepository desk;
  private final ClusterId cluster;
  private final SortedMap<Kind, AttemptId> after = new TreeMap<>();
  private final Map<AttemptId, ActionRequest> looked = new TreeMap<>();
  private SortedMap<Kind, AttemptId> before = new TreeMap<>();
  private List<ActionRequest> page = List.of();
  private Set<AttemptId> counted = Set.of();

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
    before = new TreeMap<>(after);
    page = desk.actionable(cluster, new ActionRequest.Window(before, EACH));
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

  /** Whether another page follows. */
  boolean more() {
    return !after.isEmpty();
  }

  /**
   * Whether so many attempts have ended that nothing of them is kept for later. Those that cannot
   * be cleared away do not count: it would not make them fewer.
   */
  boolean crowded() {
    return after.containsKey(Kind.CLEAR) && Math.max(clearable, clearableBefore) >= CROWD;
  }

  /** Whether it asks for what it asked for when it was looked at last. */
  boolean same(ActionRequest request) {
    return request.equals(looked.get(request.attempt()));
  }

  /**
   * The page was looked at.
   *
   * @param waiting attempts that are to be looked at again later; the others are forgotten
   * @param left attempts whose step did not fit
   */
  void looked(Collection<AttemptId> waiting, Set<AttemptId> left) {
    page.forEach(request -> looked.put(request.attempt(), request));
    looked.keySet().retainAll(waiting);
    for (Kind kind : Kind.values()) {
      goBack(kind, left);
    }
  }

  /** The next page begins with the first that did not fit. */
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
