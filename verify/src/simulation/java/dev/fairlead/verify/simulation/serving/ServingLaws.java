package dev.fairlead.verify.simulation.serving;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.serving.Replica;
import dev.fairlead.work.serving.Rollout;
import dev.fairlead.work.serving.RolloutPhase;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceTraffic;
import dev.fairlead.work.world.memory.MemoryStores;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Judges each stored plan of one service by the state that its author can have read: every state
 * since the revision that the plan replaces.
 */
public final class ServingLaws {
  private final MemoryStores stores;
  private final int floor;
  private final Set<JobId> ran = new HashSet<>();
  private final Set<JobId> shown = new HashSet<>();
  private final Set<JobId> always = new HashSet<>();
  private final Map<JobId, Set<String>> places = new HashMap<>();

  /**
   * @param floor least number of ready replicas of the service, which does not change
   */
  ServingLaws(MemoryStores stores, int floor) {
    this.stores = stores;
    this.floor = floor;
  }

  /** Something changed. */
  void look(ServiceState state) {
    Set<JobId> running = running(state);
    Set<JobId> ready = ready(state);
    for (Attempt attempt : stores.jobs().liveAttempts(running)) {
      Set<String> its = places.computeIfAbsent(attempt.job(), any -> new HashSet<>());
      stores.inventory().nameOf(attempt.cluster()).ifPresent(its::add);
    }
    ran.addAll(running);
    shown.addAll(ready);
    always.retainAll(running);
    always.retainAll(ready);
  }

  /** Plans begin with the stored state. */
  void begin(ServiceState state) {
    ran.clear();
    places.clear();
    shown.clear();
    Set<JobId> ready = running(state);
    ready.retainAll(ready(state));
    always.clear();
    always.addAll(ready);
    look(state);
  }

  private Set<JobId> running(ServiceState state) {
    List<JobId> ids = jobs(state);
    Set<JobId> running = new HashSet<>();
    for (Job job : stores.jobs().findAll(ids)) {
      if (job.state() == JobState.RUNNING) {
        running.add(job.id());
      }
    }
    return running;
  }

  private static List<JobId> jobs(ServiceState state) {
    return state.replicas().stream().map(Replica::job).filter(id -> id != null).toList();
  }

  private Set<JobId> ready(ServiceState state) {
    Set<JobId> ready = new HashSet<>();
    for (ServiceTraffic each : stores.services().traffic(state.tenant(), state.id())) {
      ready.addAll(each.ready());
    }
    ready.retainAll(jobs(state));
    return ready;
  }

  /** Returns whether a version has a ready replica now. */
  boolean serves(ServiceState state, int version) {
    Set<JobId> ready = running(state);
    ready.retainAll(ready(state));
    return state.replicas().stream()
        .anyMatch(r -> r.version() == version && ready.contains(r.job()));
  }

  /**
   * @throws InvariantBroken when the next state breaks an invariant
   */
  void check(ServiceState before, ServiceState next) {
    if (next.latest() < before.latest() || before.deleting() && !next.deleting()) {
      throw new InvariantBroken(Invariant.SERVICE_ORDER_REMAINS, before + " to " + next);
    }
    if (next.deleting()) {
      return;
    }
    paused(before, next);
    if (!next.weights().equals(before.weights())) {
      weights(before, next);
    }
    if (!next.shares().equals(before.shares())) {
      shares(before, next);
    }
    if (before.idleness() == null || !before.idleness().closed() || !asleep(next)) {
      floor(before, next);
    }
  }

  /** A command ends the steps of a paused rollout, or the rollout. A plan only rolls back. */
  private static void paused(ServiceState before, ServiceState next) {
    Rollout was = before.rollout();
    Rollout is = next.rollout();
    boolean steps =
        was != null
            && was.paused()
            && is != null
            && is.judged()
            && is.target() == was.target()
            && is.phase() != RolloutPhase.ROLLED_BACK
            && is.phase() != RolloutPhase.ABORTED;
    if (steps && (!is.open() || is.step() != was.step() || is.share() != was.share())) {
      throw new InvariantBroken(Invariant.SERVICE_PAUSE_HOLDS, before + " to " + next);
    }
  }

  private static boolean asleep(ServiceState state) {
    return state.idleness() != null && state.idleness().sleeping();
  }

  private void weights(ServiceState before, ServiceState next) {
    int sum = next.weights().values().stream().mapToInt(Integer::intValue).sum();
    boolean served =
        next.weights().keySet().stream()
            .allMatch(version ->
                before.replicas().stream()
                    .anyMatch(r -> r.version() == version && !r.stopping() && seenReady(r)));
    if (sum != 100 && sum != 0 || !served) {
      throw new InvariantBroken(Invariant.SERVICE_WEIGHTS, before + " to " + next);
    }
  }

  private void shares(ServiceState before, ServiceState next) {
    int sum = next.shares().values().stream().mapToInt(Integer::intValue).sum();
    boolean served =
        next.shares().keySet().stream()
            .allMatch(cluster ->
                before.replicas().stream()
                    .anyMatch(r ->
                        next.weights().containsKey(r.version())
                            && !r.stopping()
                            && seenReady(r)
                            && places.getOrDefault(r.job(), Set.of()).contains(cluster)));
    if (sum != 100 && !next.shares().isEmpty() || !served) {
      throw new InvariantBroken(Invariant.SERVICE_SHARES, before + " to " + next);
    }
  }

  private boolean seenReady(Replica replica) {
    JobId job = replica.job();
    return job != null && ran.contains(job) && shown.contains(job);
  }

  /** Fails when a replica that was ready throughout is stopped although the floor needs it. */
  private void floor(ServiceState before, ServiceState next) {
    Rollout rollout = next.rollout();
    @Nullable Integer target = rollout != null && rollout.open() ? rollout.target() : null;
    Map<String, Replica> after = new HashMap<>();
    next.replicas().forEach(r -> after.put(name(r), r));
    Predicate<Replica> serving =
        r ->
            !r.stopping()
                && (r.version() == next.stable() || Integer.valueOf(r.version()).equals(target));
    Predicate<Replica> remains = r -> after.containsKey(name(r)) && !after.get(name(r)).stopping();
    List<Replica> all = before.replicas().stream().filter(serving).toList();
    long remaining = all.stream().filter(remains).filter(this::seenReady).count();
    boolean stopped =
        all.stream().anyMatch(r -> !remains.test(r) && r.job() != null && always.contains(r.job()));
    if (stopped && remaining < floor) {
      throw new InvariantBroken(
          Invariant.SERVICE_FLOOR, remaining + " of " + floor + ": " + before + " to " + next);
    }
  }

  private static String name(Replica replica) {
    return replica.jobName("") + "/" + replica.since() + "/" + replica.job();
  }
}
