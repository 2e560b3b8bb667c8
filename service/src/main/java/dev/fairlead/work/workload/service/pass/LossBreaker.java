package dev.fairlead.work.workload.service.pass;

import dev.fairlead.fleet.cluster.BreakerLimit;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.DeathEvidence;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.service.attempt.AttemptCase;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Circuit breaker of one cluster. It is open while the cluster does not show the pods of too many
 * live attempts, or shows too many of their nodes in another boot, for example after a restore of
 * its etcd or with another API server. While it is open, neither a missing pod nor another boot
 * ends an attempt. For one thread.
 */
final class LossBreaker {
  /**
   * Time for which ended attempts with a missing pod count, so that slow losses reach the limit
   * too.
   */
  static final Duration WINDOW = Duration.ofMinutes(10);

  private static final Logger LOG = LoggerFactory.getLogger(LossBreaker.class);
  private final SortedMap<AttemptId, Missing> missing = new TreeMap<>();
  private int count;
  private int known;
  private boolean open;
  private @Nullable Instant since;

  /**
   * @param ended whether the attempt ended while its pod was missing or its node in another boot
   */
  private record Missing(long sinceNanos, boolean ended) {
    boolean over(long nanos) {
      return ended && nanos - sinceNanos >= WINDOW.toNanos();
    }
  }

  /**
   * Counts again with the cases of a pass. A silent cluster does not change the count.
   *
   * @param asked nodes from a direct query of the cluster, which are newer than nodes of the watch
   */
  void look(
      PassView view, Collection<AttemptCase> cases, Map<String, NodeReport> asked, long nanos) {
    if (view.watch().silent()) {
      return;
    }
    SortedMap<String, NodeReport> nodes = new TreeMap<>(view.watch().nodes());
    nodes.putAll(asked);
    SortedSet<String> rebooted = new TreeSet<>();
    cases.forEach(seen -> {
      SortedSet<String> of = rebooted(view, seen, nodes);
      rebooted.addAll(of);
      look(view, seen, !of.isEmpty(), nanos);
    });
    missing.values().removeIf(one -> one.over(nanos));
    TreeSet<AttemptId> all = new TreeSet<>(view.gateway().lookedUp());
    all.addAll(missing.keySet());
    count = all.size();
    boolean unexplained =
        !view.gateway().lookedUp().isEmpty()
            || missing.values().stream().anyMatch(one -> !one.ended());
    all.removeAll(view.observed().keySet());
    known = view.observed().size() + all.size();
    /* One confirmed death must not end the others, so an open breaker waits for all missing attempts. */
    boolean many =
        BreakerLimit.exceeded(count, known) || BreakerLimit.exceeded(rebooted.size(), nodes.size());
    turn(view, open ? unexplained : many);
  }

  /**
   * Nodes in a different boot than the recorded boot of a member, if the pod of the member has no
   * end.
   */
  private static SortedSet<String> rebooted(
      PassView view, AttemptCase seen, SortedMap<String, NodeReport> nodes) {
    ObservedWorkload shown = view.workload(seen.id());
    SortedSet<String> rebooted = new TreeSet<>();
    for (Member member : seen.attempt().live() ? seen.attempt().members() : List.<Member>of()) {
      NodeReport node = nodes.get(member.nodeName());
      boolean runs =
          shown
              .member(MemberKey.of(member))
              .filter(
                  pod -> pod.state() != MemberState.SUCCEEDED && pod.state() != MemberState.FAILED)
              .isPresent();
      if (runs && !member.dead() && node != null && other(node.bootId(), member.bootId())) {
        rebooted.add(member.nodeName());
      }
    }
    return rebooted;
  }

  private static boolean other(String shown, @Nullable String recorded) {
    return recorded != null && !shown.isEmpty() && !shown.equals(recorded);
  }

  private void look(PassView view, AttemptCase seen, boolean rebooted, long nanos) {
    AttemptId id = seen.id();
    if (!seen.attempt().live()) {
      if (confirmed(seen)) {
        missing.remove(id);
      } else {
        ended(id);
      }
    } else if (rebooted || MissingPods.missing(view, seen).anyMatch(m -> !lostWithNode(view, m))) {
      missing.putIfAbsent(id, new Missing(nanos, false));
    } else {
      missing.remove(id);
    }
  }

  /** The attempt has ended and left the cluster. */
  void ended(AttemptId id) {
    missing.computeIfPresent(id, (key, one) -> new Missing(one.sinceNanos(), true));
  }

  private static boolean confirmed(AttemptCase seen) {
    return seen.attempt().everyMember().stream()
        .anyMatch(m -> m.evidence() == DeathEvidence.OPERATOR_CONFIRMED);
  }

  /** Evidence of the node explains a missing pod. */
  private static boolean lostWithNode(PassView view, Member member) {
    NodeReport node = view.watch().nodes().get(member.nodeName());
    return node != null && (node.machineGone() || node.outOfService());
  }

  private void turn(PassView view, boolean now) {
    if (now && !open) {
      since = view.now();
      LOG.warn(
          "lease {}: {} of {} attempts are missing or on rebooted nodes: the circuit breaker"
              + " opens, and none of them is ended",
          view.lease().name(),
          count,
          known);
    } else if (open && !now) {
      since = null;
      LOG.info(
          "lease {}: the circuit breaker closes, {} attempts are missing",
          view.lease().name(),
          count);
    }
    open = now;
  }

  boolean open() {
    return open;
  }

  /** Missing attempts while the breaker is open, 0 while it is closed. */
  int count() {
    return open ? count : 0;
  }

  /** Returns the trouble of the cluster while the breaker is open, or null while it is closed. */
  @Nullable String trouble() {
    return open
        ? ("%d of %d attempts have been missing or on rebooted nodes since %s, as if another API"
                + " server answered or its etcd was restored. None of them is ended, and nothing is"
                + " started. Bring back the API server that has their pods, or confirm each death"
                + " with fairlead job confirm-dead")
            .formatted(count, known, since)
        : null;
  }

  void forget() {
    missing.clear();
    open = false;
    since = null;
  }
}
