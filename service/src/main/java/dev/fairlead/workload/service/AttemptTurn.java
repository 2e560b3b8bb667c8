package dev.fairlead.workload.service;

import dev.fairlead.job.Attempt;
import dev.fairlead.job.AttemptId;
import dev.fairlead.job.FailureCause;
import dev.fairlead.job.MemberKey;
import dev.fairlead.lease.HeldLease;
import dev.fairlead.loop.MonotonicClock;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.workload.ActionOutcome;
import dev.fairlead.workload.AttemptJudge;
import dev.fairlead.workload.ClusterGateway;
import dev.fairlead.workload.ObservedWorkload;
import dev.fairlead.workload.WorkloadAction;
import dev.fairlead.workload.WorkloadReconciler;
import dev.fairlead.workload.WorkloadTimeouts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One turn over some attempts of a cluster: judge what is seen, store it, then do the step that is
 * due. Attempts are independent, so a failing or slow one holds up no other.
 */
final class AttemptTurn {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptTurn.class);
  private static final long REPEAT_NANOS = Duration.ofSeconds(3).toNanos();
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private final AttemptDesk desk;
  private final WorkloadTimeouts timeouts;
  private final ExecutorService workers;
  private final MonotonicClock clock;
  private final Map<AttemptId, Long> acted = Collections.synchronizedMap(new TreeMap<>());

  AttemptTurn(
      AttemptDesk desk, WorkloadTimeouts timeouts, ExecutorService workers, MonotonicClock clock) {
    this.desk = desk;
    this.timeouts = timeouts;
    this.workers = workers;
    this.clock = clock;
  }

  /**
   * What came of a turn.
   *
   * @param lookAgain attempts that time alone may change, and when
   * @param gone attempts that need no more looking after
   * @param deposed whether the cluster knows a higher term than ours
   * @param more whether something was done that asks for another turn at once
   */
  record Result(
      Map<AttemptId, Instant> lookAgain, Set<AttemptId> gone, boolean deposed, boolean more) {}

  /** What came of one attempt. */
  private record One(AttemptId id, Instant lookAgain, boolean gone, boolean deposed, boolean more) {
    static One quiet(AttemptId id) {
      return new One(id, Instant.MAX, false, false, false);
    }
  }

  Result run(
      HeldLease lease,
      ClusterGateway gateway,
      ClusterWatch watch,
      Map<AttemptId, ObservedWorkload> observed,
      Set<AttemptId> ids) {
    Instant now = desk.now();
    List<Callable<One>> work = new ArrayList<>();
    for (AttemptDesk.Case seen : desk.read(ids)) {
      AttemptId id = seen.attempt().id();
      ObservedWorkload workload = observed.getOrDefault(id, ObservedWorkload.nothing(id));
      Glance glance = new Glance(lease, gateway, watch, workload, now);
      if (needed(seen, glance)) {
        work.add(() -> guarded(seen, glance));
      }
    }
    Map<AttemptId, Instant> lookAgain = new TreeMap<>();
    Set<AttemptId> gone = new TreeSet<>();
    boolean deposed = false;
    boolean more = false;
    for (One one : all(work)) {
      if (!one.lookAgain().equals(Instant.MAX)) {
        lookAgain.put(one.id(), one.lookAgain());
      }
      if (one.gone()) {
        gone.add(one.id());
        acted.remove(one.id());
      }
      deposed |= one.deposed();
      more |= one.more();
    }
    return new Result(lookAgain, gone, deposed, more);
  }

  /** What a turn knows when it looks at one attempt. */
  private record Glance(
      HeldLease lease,
      ClusterGateway gateway,
      ClusterWatch watch,
      ObservedWorkload workload,
      Instant now) {}

  private boolean needed(AttemptDesk.Case seen, Glance glance) {
    if (seen.attempt().retiredAt() != null) {
      return false;
    }
    AttemptJudge.Verdict verdict =
        AttemptJudge.judge(seen.attempt(), seen.job(), scene(seen, glance, none()));
    return verdict.changed()
        || verdict.lookAgainAt() != null
        || WorkloadReconciler.reconcile(seen.attempt(), glance.workload()).isPresent();
  }

  private One guarded(AttemptDesk.Case seen, Glance glance) {
    try {
      return one(seen, glance);
    } catch (Conflict moved) {
      return new One(seen.attempt().id(), glance.now(), false, false, true);
    } catch (dev.fairlead.transaction.FenceLost deposed) {
      return new One(seen.attempt().id(), Instant.MAX, false, true, false);
    } catch (RuntimeException failed) {
      LOG.warn("attempt {} could not be handled, trying again", seen.attempt().id().text(), failed);
      return new One(seen.attempt().id(), glance.now().plus(PAUSE), false, false, false);
    }
  }

  private One one(AttemptDesk.Case seen, Glance glance) {
    AttemptJudge.Verdict verdict =
        AttemptJudge.judge(seen.attempt(), seen.job(), scene(seen, glance, none()));
    boolean stored = false;
    if (verdict.changed()) {
      AttemptJudge.Verdict written =
          desk.observe(glance.lease(), seen, now -> scene(now, glance, none())).orElse(verdict);
      stored = true;
      verdict = written;
    }
    AttemptDesk.Case now = new AttemptDesk.Case(verdict.attempt(), seen.job(), seen.element());
    One acted = act(now, glance);
    Instant again = verdict.lookAgainAt() == null ? Instant.MAX : verdict.lookAgainAt();
    Instant first = again.isBefore(acted.lookAgain()) ? again : acted.lookAgain();
    return new One(
        acted.id(),
        first,
        acted.gone(),
        acted.deposed(),
        acted.more() || stored && now.attempt().live());
  }

  private One act(AttemptDesk.Case seen, Glance glance) {
    Attempt attempt = seen.attempt();
    WorkloadReconciler.Step step =
        WorkloadReconciler.reconcile(attempt, glance.workload()).orElse(null);
    if (step == null || glance.watch().silent()) {
      return One.quiet(attempt.id());
    }
    return switch (step) {
      case LAUNCH -> launch(seen, glance);
      case COMPLETE_LAUNCH ->
          again(attempt.id()) ? send(seen, glance) : later(attempt.id(), glance);
      case STOP -> again(attempt.id()) ? stop(seen, glance) : later(attempt.id(), glance);
      case RETIRE -> again(attempt.id()) ? retire(seen, glance) : later(attempt.id(), glance);
      case FORGET -> forget(seen, glance);
    };
  }

  private One launch(AttemptDesk.Case seen, Glance glance) {
    AttemptJudge.Verdict launching = desk.launching(glance.lease(), seen).orElse(null);
    if (launching == null) {
      return new One(seen.attempt().id(), glance.now(), false, false, true);
    }
    again(seen.attempt().id());
    return send(new AttemptDesk.Case(launching.attempt(), seen.job(), seen.element()), glance);
  }

  private One send(AttemptDesk.Case seen, Glance glance) {
    AttemptId id = seen.attempt().id();
    ActionOutcome outcome =
        glance
            .gateway()
            .apply(
                new WorkloadAction.Launch(
                    id, desk.order(glance.lease(), seen, glance.gateway().capabilities())));
    return switch (outcome) {
      case ActionOutcome.Done done -> One.quiet(id);
      case ActionOutcome.Refused refused -> {
        FailureCause cause =
            switch (refused.why()) {
              case NAME_TAKEN -> FailureCause.PLATFORM;
              case PLACE_REFUSED -> FailureCause.PLACEMENT_CONFLICT;
              case INVALID, UNSUPPORTED -> FailureCause.CONFIGURATION;
            };
        desk.refused(glance.lease(), seen, cause, refused.message());
        acted.remove(id);
        yield new One(id, glance.now(), false, false, true);
      }
      case ActionOutcome.Deposed deposed -> new One(id, Instant.MAX, false, true, false);
      case ActionOutcome.Unavailable away -> later(id, glance);
    };
  }

  private One stop(AttemptDesk.Case seen, Glance glance) {
    Attempt attempt = seen.attempt();
    List<MemberKey> living =
        attempt.members().stream().filter(m -> !m.dead()).map(MemberKey::of).toList();
    Duration grace = seen.job().spec().preemption().gracePeriod();
    ActionOutcome outcome =
        glance
            .gateway()
            .apply(
                new WorkloadAction.Stop(
                    attempt.id(), desk.project(seen).namespace(), grace, living));
    if (outcome instanceof ActionOutcome.Done done && !done.absent().isEmpty()) {
      desk.observe(glance.lease(), seen, now -> scene(now, glance, done.absent()));
      return new One(attempt.id(), glance.now(), false, false, true);
    }
    return outcome instanceof ActionOutcome.Deposed
        ? new One(attempt.id(), Instant.MAX, false, true, false)
        : later(attempt.id(), glance);
  }

  private One retire(AttemptDesk.Case seen, Glance glance) {
    AttemptId id = seen.attempt().id();
    ActionOutcome outcome =
        glance.gateway().apply(new WorkloadAction.Retire(id, desk.project(seen).namespace()));
    return switch (outcome) {
      case ActionOutcome.Done done -> forget(seen, glance);
      case ActionOutcome.Refused refused -> {
        LOG.warn("attempt {} could not be retired: {}", id.text(), refused.message());
        yield later(id, glance);
      }
      case ActionOutcome.Deposed deposed -> new One(id, Instant.MAX, false, true, false);
      case ActionOutcome.Unavailable away -> later(id, glance);
    };
  }

  private One forget(AttemptDesk.Case seen, Glance glance) {
    desk.retired(glance.lease(), seen);
    return new One(seen.attempt().id(), Instant.MAX, true, false, false);
  }

  private One later(AttemptId id, Glance glance) {
    return new One(id, glance.now().plus(PAUSE), false, false, false);
  }

  /** Whether the action may be sent (again) now; notes that it is. */
  private boolean again(AttemptId id) {
    long now = clock.nanos();
    Long before = acted.get(id);
    if (before != null && now - before < REPEAT_NANOS) {
      return false;
    }
    acted.put(id, now);
    return true;
  }

  private AttemptJudge.Scene scene(
      AttemptDesk.Case seen, Glance glance, SortedSet<MemberKey> absent) {
    return new AttemptJudge.Scene(
        glance.workload(),
        glance.watch().nodes(),
        glance.watch().silent(),
        absent,
        seen.wanted(),
        timeouts,
        glance.now());
  }

  private static SortedSet<MemberKey> none() {
    return Collections.emptySortedSet();
  }

  private List<One> all(List<Callable<One>> work) {
    List<One> results = new ArrayList<>();
    try {
      for (Future<One> future : workers.invokeAll(work)) {
        results.add(future.get());
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException failed) {
      throw new IllegalStateException("an attempt's turn ended with an error", failed);
    }
    return results;
  }
}
