package dev.fairlead.verify.simulation;

import static dev.fairlead.work.serving.ServiceVersion.SERVICE_LABEL;

import dev.fairlead.data.transfer.service.TransferLoop;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.verify.simulation.work.JobClients;
import dev.fairlead.verify.simulation.world.CounterInvariants;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.GangInvariants;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.ReservationInvariants;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.store.Pipeline;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import dev.fairlead.work.spec.RayPoolJob;
import dev.fairlead.work.spec.WarmMember;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.stream.Collectors;

/** Invariants after every event. */
public final class Invariants {
  /** Holds that an empty fleet does not end. */
  private static final Set<Reason> FOR_GOOD =
      EnumSet.of(Reason.MISCONFIGURED, Reason.NEVER_FITS, Reason.QUOTA);

  private static final int NAME = ObjectNames.PREFIX.length() + 26;

  private final DurableState durable;
  private final JobClients clients;
  private final ClusterFaults clusterFaults;
  private final CounterInvariants books;
  private final GangInvariants gangs;
  private final ReservationInvariants places;
  private final Map<JobId, JobState> endedJobs = new HashMap<>();
  private final Map<AttemptId, AttemptState> endedAttempts = new HashMap<>();
  private final Map<AttemptId, String> names = new HashMap<>();
  private final Map<String, Attempt> byName = new HashMap<>();
  private final Map<JobId, OnUnreachable> plannedJobs = new HashMap<>();
  private final boolean givenUp;
  private Set<String> overdue = Set.of();
  private List<SortedSet<String>> judged = List.of();
  private boolean dirty = true;
  private long checks;

  /** Jobs and elements, which have one attempt at a time. */
  private record Place(JobId job, int element) {}

  /**
   * @param missing without WAITING, a job abandoned after its deadline represents a waiting job
   *     whose deadline is mistaken for a proof
   */
  Invariants(
      DurableState durable,
      JobClients clients,
      ClusterFaults clusterFaults,
      VirtualTime time,
      Set<Guard> missing) {
    this.givenUp = !missing.contains(Guard.WAITING);
    this.durable = durable;
    this.clients = clients;
    this.clusterFaults = clusterFaults;
    this.books = new CounterInvariants(durable.stores(), durable::chooses);
    this.gangs = new GangInvariants(durable, time);
    this.places = new ReservationInvariants(durable);
    durable.stores().database().listen(topic -> dirty = true);
  }

  long checks() {
    return checks;
  }

  /**
   * @throws InvariantBroken when one does not hold
   */
  void check() {
    boolean changed = dirty;
    if (changed) {
      dirty = false;
      rows();
    }
    processes(changed);
    foreign();
  }

  private void rows() {
    List<Attempt> attempts = durable.stores().jobs().everyAttempt();
    Set<Place> live = new HashSet<>();
    for (Attempt attempt : attempts) {
      byName.put(
          names.computeIfAbsent(attempt.id(), id -> ObjectNames.attempt(attempt.id())), attempt);
      if (attempt.live() && !live.add(place(attempt))) {
        throw new InvariantBroken(Invariant.ONE_LIVE_ATTEMPT, place(attempt).toString());
      }
      AttemptState ended = endedAttempts.get(attempt.id());
      if (ended != null && ended != attempt.state()) {
        throw new InvariantBroken(
            Invariant.TERMINAL_IS_FINAL, attempt.id().text() + ended + " -> " + attempt.state());
      }
      if (!attempt.live()) {
        finished(attempt, ended == null);
        endedAttempts.put(attempt.id(), attempt.state());
      }
    }
    attempts.stream().filter(a -> a.live() && a.stop() == null).forEach(this::largeEnough);
    jobs(live.stream().map(Place::job).collect(Collectors.toSet()));
    books.check(attempts.stream().filter(Attempt::live).toList());
    places.check(attempts);
    clusterFaults.quarantines().check(attempts);
    checks += 12;
  }

  /**
   * An attempt with pods that were last shown as ended well, and that nothing deleted, has
   * succeeded. A program with a pending checkpoint request may exit with 0 before it has finished.
   */
  private void finished(Attempt attempt, boolean now) {
    boolean other =
        now && attempt.state() != AttemptState.SUCCEEDED && attempt.checkpointRequest() == null;
    if (other && untouched(attempt) && planned(attempt.job()) == OnUnreachable.WAIT) {
      throw new InvariantBroken(Invariant.SUCCESS_STANDS, attempt.toString());
    }
  }

  private boolean untouched(Attempt attempt) {
    ObservedWorkload shown =
        durable
            .podsShown(attempt.cluster())
            .getOrDefault(attempt.id(), ObservedWorkload.nothing(attempt.id()));
    return attempt.core().stream()
        .map(member -> shown.member(MemberKey.of(member)))
        .allMatch(pod -> pod.filter(Invariants::endedWell).isPresent());
  }

  private static boolean endedWell(ObservedMember pod) {
    return pod.state() == MemberState.SUCCEEDED && !pod.deleting();
  }

  /** A gang that is repaired lacks a dead member until another joins. */
  private void largeEnough(Attempt attempt) {
    for (Job job : durable.stores().jobs().findAll(List.of(attempt.job()))) {
      long size = attempt.core().size() + attempt.left().stream().filter(Member::finished).count();
      if (job.spec().gangRepair() == null && size < job.spec().fewestMembers()) {
        throw new InvariantBroken(Invariant.GANG_NEVER_TOO_SMALL, attempt.toString());
      }
    }
  }

  private void jobs(Set<JobId> live) {
    Collection<JobId> accepted = clients.accepted().values();
    Set<String> names = new HashSet<>();
    for (Job job : durable.stores().jobs().all()) {
      boolean numbered =
          job.spec().labels().containsKey(SERVICE_LABEL)
              || WarmMember.is(job.spec())
              || RayPoolJob.isCluster(job.spec());
      boolean replaced = numbered && job.run().ended();
      boolean copier = job.user().equals(TransferLoop.ACTOR);
      boolean retried = job.spec().labels().containsKey(Pipeline.LABEL);
      if (!replaced && !copier && !retried && !names.add(job.name())) {
        throw new InvariantBroken(Invariant.ONE_KEY_ONE_JOB, job.name());
      }
    }
    List<Job> jobs = durable.stores().jobs().findAll(accepted);
    if (jobs.size() != accepted.size()) {
      throw new InvariantBroken(
          Invariant.ACCEPTED_JOB_EXISTS, jobs.size() + " of " + accepted.size());
    }
    for (Job job : jobs) {
      JobState ended = endedJobs.get(job.id());
      if (ended != null && ended != job.state()) {
        throw new InvariantBroken(
            Invariant.TERMINAL_IS_FINAL, job.name() + " " + ended + " -> " + job.state());
      }
      if (job.run().ended()) {
        endedJobs.put(job.id(), job.state());
        if (live.contains(job.id())) {
          throw new InvariantBroken(
              Invariant.TERMINAL_IS_FINAL, job.name() + " ended and still holds");
        }
      }
    }
  }

  /** Judged again when rows or processes changed, or while a part of a gang runs. */
  private void processes(boolean changed) {
    List<SortedSet<String>> now =
        durable.clusters().values().stream().map(SimulatedCluster::processes).toList();
    checks += 3;
    if (!changed && !gangs.partial() && now.equals(judged)) {
      return;
    }
    judged = now;
    overdue =
        durable.clusters().values().stream()
            .flatMap(cluster -> cluster.overdue().stream())
            .collect(Collectors.toSet());
    Map<Place, AttemptId> running = new HashMap<>();
    Map<Attempt, Integer> members = new HashMap<>();
    now.forEach(pods -> pods.forEach(pod -> process(pod, running, members)));
    gangs.check(members);
  }

  /** Its former resources may already belong to another attempt. */
  private static boolean left(Attempt attempt, String pod) {
    return attempt.left().stream()
        .anyMatch(m -> ObjectNames.pod(attempt.id(), MemberKey.of(m)).equals(pod));
  }

  private void process(String pod, Map<Place, AttemptId> running, Map<Attempt, Integer> members) {
    Attempt attempt = byName.get(pod.substring(0, NAME));
    if (attempt == null) {
      throw new InvariantBroken(Invariant.DEAD_IS_DEAD, pod + " belongs to no attempt");
    }
    if (overlaps(attempt, pod)) {
      return;
    }
    AttemptId other = running.putIfAbsent(place(attempt), attempt.id());
    if (other != null && !other.equals(attempt.id())) {
      throw new InvariantBroken(Invariant.ONE_RUNNING_POD_SET, place(attempt) + " by " + pod);
    }
    if (!attempt.live()) {
      throw new InvariantBroken(
          Invariant.DEAD_IS_DEAD, pod + " runs, its attempt is " + attempt.state());
    }
    if (left(attempt, pod)) {
      throw new InvariantBroken(Invariant.DEAD_IS_DEAD, pod + " runs, and has left " + attempt);
    }
    members.merge(attempt, 1, Integer::sum);
  }

  /**
   * Its owner permits an overlap with the next attempt, always or after a deadline that a dead
   * kubelet does not enforce. No actor of the simulation patches jobs.
   */
  private boolean overlaps(Attempt attempt, String pod) {
    return switch (planned(attempt.job())) {
      case WAIT -> false;
      case AFTER_DEADLINE -> givenUp && !attempt.live() && overdue.contains(pod);
      case ALLOW_OVERLAP -> true;
    };
  }

  private OnUnreachable planned(JobId job) {
    return plannedJobs.computeIfAbsent(
        job,
        id ->
            durable.stores().jobs().findAll(List.of(id)).stream()
                .findFirst()
                .map(found -> found.spec().onUnreachable())
                .orElse(OnUnreachable.WAIT));
  }

  private void foreign() {
    clusterFaults
        .foreign()
        .forEach((name, cluster) -> {
          if (!cluster.hasForeignObject(name)) {
            throw new InvariantBroken(Invariant.NOTHING_FOREIGN_DELETED, name);
          }
        });
    checks++;
  }

  private static Place place(Attempt attempt) {
    return new Place(attempt.job(), attempt.element());
  }

  /** Jobs that have not ended although all faults are over, with their known state. */
  List<String> stuck() {
    List<String> stuck = new ArrayList<>();
    for (Job job : durable.stores().jobs().active()) {
      boolean held =
          job.state() == JobState.QUEUED
              && durable.stores().jobs().liveAttempts(job.id()).isEmpty()
              && durable
                  .stores()
                  .explanations()
                  .of(job.id())
                  .filter(known -> FOR_GOOD.contains(known.explanation().first().reason()))
                  .isPresent();
      if (!held) {
        stuck.add(
            job.name()
                + " "
                + job.state()
                + " "
                + durable.stores().jobs().liveAttempts(job.id()).stream()
                    .map(a -> a.state() + " " + a.members())
                    .toList()
                + " "
                + durable.stores().explanations().of(job.id()));
      }
    }
    return stuck;
  }
}
