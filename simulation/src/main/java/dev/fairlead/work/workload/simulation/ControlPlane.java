package dev.fairlead.work.workload.simulation;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.SimulationAnnotations;
import dev.fairlead.work.workload.WorkloadAction;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Executes the calls of a supervisor like an API server with the tracking finalizer and the fence.
 */
final class ControlPlane {
  private final WorkloadBook book;
  private final SimulatedInventory inventory;
  private final Kubelet kubelet;
  private final PodBinder binder;
  private final Identities identities;
  private final SortedSet<String> takenNames = new TreeSet<>();
  private long highestEpoch;
  private long highestWatermark;

  ControlPlane(
      WorkloadBook book,
      SimulatedInventory inventory,
      Kubelet kubelet,
      PodBinder binder,
      Identities identities) {
    this.book = book;
    this.inventory = inventory;
    this.kubelet = kubelet;
    this.binder = binder;
    this.identities = identities;
  }

  /** Puts a foreign object on the name. */
  void take(String name) {
    takenNames.add(name);
  }

  boolean taken(String name) {
    return takenNames.contains(name);
  }

  /** The higher epoch of the cluster, null when its epoch is not higher. */
  @Nullable Long deposes(long epoch) {
    return claim(epoch, highestWatermark) instanceof EpochClaim.Higher(long higher) ? higher : null;
  }

  EpochClaim claim(long epoch, long watermark) {
    if (epoch < highestEpoch) {
      return new EpochClaim.Higher(highestEpoch);
    }
    if (watermark < highestWatermark) {
      return new EpochClaim.Ahead(highestWatermark);
    }
    highestEpoch = epoch;
    highestWatermark = watermark;
    return EpochClaim.OURS;
  }

  ActionOutcome apply(WorkloadAction action) {
    return switch (action) {
      case WorkloadAction.Launch launch -> launch(launch.order());
      case WorkloadAction.Stop stop -> stop(stop);
      case WorkloadAction.Remove remove -> remove(remove);
      case WorkloadAction.Ask ask -> ask(ask);
      case WorkloadAction.Retire retire -> retire(retire.attempt());
      case WorkloadAction.Budget budget -> budget(budget);
    };
  }

  /**
   * Creates the members of an attempt. A member that was seen before or is dead is not created
   * again, nor any member of a stopped attempt.
   */
  private ActionOutcome launch(LaunchOrder order) {
    if (claim(order.epoch(), highestWatermark) instanceof EpochClaim.Higher(long higher)) {
      return new ActionOutcome.Deposed(higher);
    }
    Attempt attempt = order.attempt();
    List<Member> missing =
        attempt.toCreate().stream()
            .filter(m -> pod(attempt.id(), MemberKey.of(m)) == null)
            .filter(m -> !book.removed(attempt.id(), MemberKey.of(m)))
            .toList();
    if (missing.isEmpty() || book.stopped(attempt.id())) {
      return new ActionOutcome.Done(keys(missing));
    }
    Optional<String> locked =
        book.find(attempt.id()) == null
            ? order.missingSecret().or(order::missingIdentity)
            : Optional.empty();
    if (locked.isPresent()) {
      return new ActionOutcome.Refused(ActionOutcome.Why.INVALID, locked.get());
    }
    ActionOutcome.Refused refused = refusal(attempt, missing);
    return refused != null ? refused : create(order, missing);
  }

  private ActionOutcome.@Nullable Refused refusal(Attempt attempt, List<Member> missing) {
    for (Member member : missing) {
      String name = ObjectNames.pod(attempt.id(), MemberKey.of(member));
      if (taken(name)) {
        return new ActionOutcome.Refused(
            ActionOutcome.Why.NAME_TAKEN, name + " belongs to another party");
      }
      if (inventory.find(member.nodeName()) == null) {
        return new ActionOutcome.Refused(
            ActionOutcome.Why.PLACE_REFUSED, "no node " + member.nodeName());
      }
    }
    return null;
  }

  private ActionOutcome create(LaunchOrder order, List<Member> missing) {
    Attempt attempt = order.attempt();
    Job job = order.job();
    SimulatedWorkload workload = book.find(attempt.id());
    if (workload == null) {
      workload = new SimulatedWorkload(order);
      boolean budgeted = job.spec().gang() || !job.spec().preemption().allowed();
      workload.minAvailable(budgeted ? attempt.members().size() : 0);
      book.add(workload);
    }
    for (Member member : missing) {
      PodBehaviour behaviour =
          PodBehaviour.of(
                  SimulationAnnotations.of(
                      job.spec().annotations(), attempt.number(), attempt.element(), member.key()))
              .endingAfter(deadline(job.spec()));
      SimulatedNode node = binder.first(member.nodeName());
      SimulatedPod pod = new SimulatedPod(workload, member, identities.next(), node, behaviour);
      workload.pods.put(pod.key, pod);
      binder.created(pod);
    }
    return new ActionOutcome.Done(new TreeSet<>());
  }

  /** The {@code activeDeadlineSeconds}, which are set for jobs that rely on them. */
  private static @Nullable Duration deadline(JobSpec spec) {
    return spec.onUnreachable() == OnUnreachable.AFTER_DEADLINE ? spec.maxRuntime() : null;
  }

  private ActionOutcome stop(WorkloadAction.Stop stop) {
    book.stop(stop.attempt());
    SimulatedWorkload workload = book.find(stop.attempt());
    if (workload != null) {
      List.copyOf(workload.pods.values()).stream()
          .filter(SimulatedPod::open) // as on a real cluster, ended objects are not deleted again
          .forEach(pod -> kubelet.delete(pod, stop.grace()));
    }
    SortedSet<MemberKey> absent = new TreeSet<>(stop.members());
    absent.removeIf(key -> pod(stop.attempt(), key) != null);
    return new ActionOutcome.Done(absent);
  }

  /** Deletes only these members. The others continue. */
  private ActionOutcome remove(WorkloadAction.Remove remove) {
    SortedSet<MemberKey> absent = new TreeSet<>();
    for (MemberKey key : remove.members()) {
      book.remove(remove.attempt(), key);
      SimulatedPod pod = pod(remove.attempt(), key);
      if (pod == null) {
        absent.add(key);
      } else {
        kubelet.delete(pod, remove.grace());
      }
    }
    return new ActionOutcome.Done(absent);
  }

  private ActionOutcome ask(WorkloadAction.Ask ask) {
    for (MemberKey key : ask.members()) {
      SimulatedPod pod = pod(ask.attempt(), key);
      if (pod != null) {
        kubelet.ask(pod, ask.until());
      }
    }
    return new ActionOutcome.Done(new TreeSet<>());
  }

  private ActionOutcome retire(AttemptId attempt) {
    book.stop(attempt);
    SimulatedWorkload workload = book.find(attempt);
    if (workload != null) {
      List.copyOf(workload.pods.values()).forEach(kubelet::remove);
      workload.removeOthers();
      book.changed(workload);
    }
    return new ActionOutcome.Done(new TreeSet<>());
  }

  private ActionOutcome budget(WorkloadAction.Budget budget) {
    SimulatedWorkload workload = book.find(budget.attempt());
    if (workload != null) {
      workload.minAvailable(budget.minAvailable());
    }
    return new ActionOutcome.Done(new TreeSet<>());
  }

  /** Evicts like a cluster's eviction API: false when the attempt's budget forbids it. */
  boolean evict(SimulatedPod pod, Duration grace) {
    long healthy =
        pod.workload.pods.values().stream().filter(p -> p.open() && p.grace == null).count();
    if (healthy <= pod.workload.minAvailable()) {
      return false;
    }
    pod.evicted = true;
    kubelet.delete(pod, grace);
    return true;
  }

  private @Nullable SimulatedPod pod(AttemptId attempt, MemberKey key) {
    SimulatedWorkload workload = book.find(attempt);
    return workload == null ? null : workload.pods.get(key);
  }

  private static SortedSet<MemberKey> keys(List<Member> members) {
    SortedSet<MemberKey> keys = new TreeSet<>();
    members.forEach(member -> keys.add(MemberKey.of(member)));
    return keys;
  }
}
