package dev.fairlead.work.workload;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.repair.RepairTaskId;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.operation.ClosedBy;
import dev.fairlead.fleet.operation.DrainScope;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptLifecycle;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.attempt.member.DeviceReporter;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.CheckpointTransitions;
import dev.fairlead.work.job.DeviceTransitions;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.OwnerTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.workload.judgement.AttemptJudge;
import dev.fairlead.work.workload.judgement.Observations;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.judgement.OpenFaults;
import dev.fairlead.work.workload.judgement.Verdict;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An attempt and its cluster as a supervisor sees it, changed step by step: member {@code i} is
 * {@code worker-i} on node {@code n<i>}. Each {@link #judge()} stores the verdict's attempt.
 */
public final class Watched {
  public static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

  private final Job job;
  private final SortedMap<MemberKey, ObservedMember> pods = new TreeMap<>();
  private final SortedMap<String, NodeReport> nodes = new TreeMap<>();
  private final Map<String, @Nullable NodeReport> lagging = new TreeMap<>();
  private final SortedSet<MemberKey> absent = new TreeSet<>();
  private final SortedSet<MemberKey> askedToSave = new TreeSet<>();
  private final SortedMap<MemberKey, List<HeldDevice>> devices = new TreeMap<>();
  private Attempt attempt;
  private JobState wanted = JobState.RUNNING;
  private DrainScope drained = DrainScope.NOTHING;
  private OpenFaults isolated = OpenFaults.NOTHING;
  private boolean silent;
  private final SortedMap<MemberKey, Instant> unanswered = new TreeMap<>();
  private boolean certainlyOver;
  private boolean doubted;
  private boolean pluginDoubted;
  private int faults;
  private WorkloadTimeouts timeouts = WorkloadTimeouts.DEFAULT;
  private Instant now = START;
  private Duration stepped = Duration.ZERO;

  private Watched(JobSpec spec, AttemptState state) {
    this.job = ShownPods.job(spec);
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < spec.members(); i++) {
      members.add(ShownPods.member(i));
      nodes.put("n" + i, NodeReports.node("n" + i).build());
    }
    this.attempt = ShownPods.attempt(job, state, members);
  }

  public static Watched launching(int members) {
    return new Watched(Specs.job("train").workers(members).build(), AttemptState.LAUNCHING);
  }

  public static Watched planned(int members) {
    return planned(Specs.job("train").workers(members));
  }

  public static Watched planned(Specs spec) {
    return new Watched(spec.build(), AttemptState.PLANNED);
  }

  /** All members run since {@link #START}. */
  public static Watched running(int members) {
    return running(Specs.job("train").workers(members));
  }

  public static Watched running(Specs spec) {
    Watched watched = new Watched(spec.build(), AttemptState.LAUNCHING);
    for (int i = 0; i < watched.attempt.members().size(); i++) {
      watched.runs(i);
    }
    watched.judge();
    return watched;
  }

  Watched withoutNode(int member) {
    nodes.remove("n" + member);
    return this;
  }

  public Verdict judge() {
    Verdict verdict =
        AttemptJudge.judge(
            attempt,
            job,
            new Observations(
                observed(),
                nodes,
                asked(),
                silent,
                unanswered,
                absent,
                wanted,
                faults,
                drained,
                isolated,
                certainlyOver,
                doubted,
                pluginDoubted,
                timeouts,
                now.plus(stepped),
                now));
    attempt = verdict.attempt();
    return verdict;
  }

  /** Answers of the cluster: the watched nodes, unless the watch lags. */
  private SortedMap<String, NodeReport> asked() {
    SortedMap<String, NodeReport> answers = new TreeMap<>();
    AttemptJudge.nodesToAsk(attempt, observed(), nodes, isolated)
        .forEach(name -> {
          NodeReport answer = lagging.containsKey(name) ? lagging.get(name) : nodes.get(name);
          if (answer != null) {
            answers.put(name, answer);
          }
        });
    return answers;
  }

  public ObservedWorkload observed() {
    SortedMap<MemberKey, ObservedMember> shown = new TreeMap<>(pods);
    shown.replaceAll((key, pod) -> askedToSave.contains(key) ? pod.withAsked(true) : pod);
    shown.replaceAll((key, pod) -> pod.withDevices(devices.getOrDefault(key, List.of())));
    return new ObservedWorkload(attempt.id(), shown, false);
  }

  /** Its pod status names these devices from now on. */
  Watched shows(int index, HeldDevice... held) {
    devices.put(ShownPods.key(index), List.of(held));
    return this;
  }

  /** The node agent names this device for the member. */
  Watched agentShows(int index, HeldDevice held) {
    String uid = member("worker-" + index).uid();
    attempt =
        DeviceTransitions.reported(
                job,
                attempt,
                DeviceReporter.NODE_AGENT,
                member("worker-" + index).node(),
                Map.of(uid, List.of(held)),
                "agent")
            .orElseThrow()
            .attempt();
    return this;
  }

  public Job job() {
    return job;
  }

  public Attempt attempt() {
    return attempt;
  }

  public AttemptState state() {
    return attempt.state();
  }

  public Member member(String key) {
    return attempt.members().stream().filter(m -> m.key().equals(key)).findFirst().orElseThrow();
  }

  public Watched after(Duration time) {
    now = now.plus(time);
    return this;
  }

  /** The database's clock was set forward since the attempt began. */
  Watched clockSteps(Duration by) {
    stepped = stepped.plus(by);
    return this;
  }

  public Watched wanted(JobState state) {
    wanted = state;
    return this;
  }

  /** Adds a member without objects. */
  public Watched joins(int index) {
    pods.remove(ShownPods.key(index));
    return standing(index, ShownPods.member(index).joining(now));
  }

  /** Another member has just been added. */
  Watched comes(int index) {
    List<Member> members = new ArrayList<>(attempt.members());
    members.add(ShownPods.member(index).joining(now));
    attempt = attempt.with(members);
    nodes.put("n" + index, NodeReports.node("n" + index).build());
    return this;
  }

  /** Orders the member to leave. */
  public Watched leaves(int index) {
    Member told = member("worker-" + index).leaving(now);
    return standing(index, told);
  }

  private Watched standing(int index, Member as) {
    List<Member> members = new ArrayList<>(attempt.members());
    members.replaceAll(m -> m.index() == index ? as : m);
    attempt = attempt.with(members);
    return this;
  }

  /** Its creates are about to be sent. */
  Watched launched() {
    attempt = AttemptLifecycle.apply(attempt, new AttemptEvent.Launch(), now).orElseThrow();
    return this;
  }

  /** Returns the attempt with a stop order stored at the current time. */
  public Watched ordered(StopCause cause) {
    AttemptEvent stop = JobTransitions.stop(attempt, cause, job.spec(), "test", now);
    attempt = AttemptLifecycle.apply(attempt, stop, now).orElseThrow();
    return this;
  }

  /** The request to save their work has reached all pods that run now. */
  public Watched asks() {
    pods.values().stream()
        .filter(pod -> pod.state() == MemberState.RUNNING)
        .forEach(pod -> askedToSave.add(pod.key()));
    return this;
  }

  /** The program requests more time to save its work. */
  public Watched extended(Duration more, Duration longest) {
    attempt =
        CheckpointTransitions.extended(job, attempt, more, longest, now).orElseThrow().attempt();
    return this;
  }

  /** Sets the operator's longest checkpoint. */
  Watched allowing(Duration longest) {
    timeouts = timeouts.saving(longest);
    return this;
  }

  /** The job reports a checkpoint now. */
  public Watched checkpoints() {
    attempt =
        OwnerTransitions.checkpoint(job, List.of(attempt), now, "ana")
            .orElseThrow()
            .getFirst()
            .attempt();
    return this;
  }

  /** Drains the member's node. */
  Watched drained(int index) {
    return drained(index, Collections.emptySortedMap());
  }

  /** Like {@link #drained}, with a deadline after which remaining members are stopped. */
  Watched drained(int index, Instant stops) {
    return drained(index, new TreeMap<>(Map.of(ShownPods.member(index).node(), stops)));
  }

  private Watched drained(int index, SortedMap<NodeId, Instant> deadlines) {
    SortedSet<NodeId> nodes = new TreeSet<>(List.of(ShownPods.member(index).node()));
    drained = new DrainScope(false, nodes, null, deadlines, Collections.emptySortedMap());
    return this;
  }

  /** The member's node is closed without an order. */
  Watched closed(int index, ClosedBy by) {
    drained =
        DrainScope.NOTHING.with(new TreeMap<>(Map.of(ShownPods.member(index).node(), List.of(by))));
    return this;
  }

  /** The member holds the first GPU of its node, {@code GPU-<index>}. */
  public Watched holdsGpu(int index) {
    List<Member> members = new ArrayList<>(attempt.members());
    Member m = members.get(index);
    members.set(index, m.withGpus(List.of(new GpuShare(0, "GPU-" + index, 1000))));
    attempt = attempt.with(members);
    return this;
  }

  /** An incident has isolated the member's node. */
  public Watched sick(int index, FaultScope scope, @Nullable String gpu) {
    Incident incident = ShownPods.incident(ShownPods.member(index).node(), "n" + index, scope, gpu);
    isolated = OpenFaults.of(List.of(incident), Set.of());
    return this;
  }

  /** Like {@link #sick} for one GPU, and the time of an operator to name its holder is over. */
  Watched undecided(int index, String gpu) {
    Incident incident =
        ShownPods.incident(ShownPods.member(index).node(), "n" + index, FaultScope.GPU, gpu);
    isolated = OpenFaults.of(List.of(incident), Set.of(incident.id()));
    return this;
  }

  /** The repairer reported that the member's machine was without power, which ended that boot. */
  Watched poweredOff(int index, String boot) {
    List<OpenFaults.PowerOff> off =
        List.of(
            new OpenFaults.PowerOff(
                new RepairTaskId(new UUID(1, 7)),
                ShownPods.member(index).node(),
                "n" + index,
                boot,
                now));
    isolated = new OpenFaults(List.of(), off);
    return this;
  }

  OpenFaults isolated() {
    return isolated;
  }

  public Watched silent(boolean value) {
    silent = value;
    return this;
  }

  /** Its pod is missing, and its cluster has been queried for it since now. */
  Watched unanswered(int index) {
    unanswered.put(ShownPods.key(index), now);
    return vanishes(index);
  }

  /** The cluster confirmed that missing pods are deleted. */
  Watched answered() {
    unanswered.clear();
    return this;
  }

  /** The deadline that its cluster enforces has passed for certain. */
  public Watched certainlyOver() {
    certainlyOver = true;
    return this;
  }

  /** Whether too many attempts of its cluster are missing. */
  public Watched doubted(boolean value) {
    doubted = value;
    return this;
  }

  /** Faults in a row ended earlier attempts of the job. */
  Watched afterFaults(int count) {
    faults = count;
    return this;
  }

  /** Whether device plugins report GPUs of too many nodes as unhealthy. */
  Watched pluginDoubted(boolean value) {
    pluginDoubted = value;
    return this;
  }

  /** Its name was read as free. */
  public Watched absent(int index) {
    absent.add(ShownPods.key(index));
    return this;
  }

  public Watched node(int index, NodeReports report) {
    nodes.put("n" + index, report.build());
    return this;
  }

  /** Sets the cluster's answer to queries, null if none, regardless of the watch. */
  public Watched inTruth(int index, @Nullable NodeReports report) {
    lagging.put("n" + index, report == null ? null : report.build());
    return this;
  }

  public Watched pending(int index) {
    return shown(ShownPods.pod(index, MemberState.PENDING, false, null, null, null));
  }

  public Watched pulling(int index) {
    return shown(ShownPods.pod(index, MemberState.PULLING, false, null, null, null));
  }

  public Watched waits(int index, String reason) {
    return shown(ShownPods.pod(index, MemberState.PENDING, false, null, reason, null));
  }

  public Watched runs(int index) {
    return shown(ShownPods.pod(index, MemberState.RUNNING, true, null, null, null));
  }

  /** The device plugin of its node reports this GPU as unhealthy, and its container runs. */
  Watched runsOnUnhealthy(int index, String gpu) {
    return shown(
        ShownPods.pod(index, MemberState.RUNNING, true, null, "UnhealthyGpu " + gpu, null));
  }

  /** Runs on the node that another scheduler chose. */
  Watched bound(int index, String node) {
    return shown(ShownPods.pod(index, MemberState.RUNNING, true, null, null, null).withNode(node));
  }

  public Watched succeeds(int index) {
    return shown(ShownPods.pod(index, MemberState.SUCCEEDED, true, 0, null, now));
  }

  /** The container ended now, and its kubelet has not cleared it yet. */
  public Watched lingers(int index, int code) {
    return ended(index, code, ObservedMember.Held.SANDBOX);
  }

  /** The container ended now, and injected containers continue. */
  public Watched accompanied(int index, int code) {
    return ended(index, code, ObservedMember.Held.SIDECARS);
  }

  private Watched ended(int index, int code, ObservedMember.Held held) {
    ObservedMember pod = ShownPods.pod(index, MemberState.FAILED, true, code, null, now);
    return shown(ShownPods.held(pod, held));
  }

  /** Its container ended now. */
  public Watched exits(int index, int code, @Nullable String reason) {
    return exits(index, code, reason, now);
  }

  public Watched exits(int index, int code, @Nullable String reason, @Nullable Instant at) {
    return shown(ShownPods.pod(index, MemberState.FAILED, true, code, reason, at));
  }

  /** Failed before any container of it ran. */
  public Watched refused(int index, String reason) {
    return shown(ShownPods.pod(index, MemberState.FAILED, false, null, reason, now));
  }

  /** Adds a deletion request. */
  public Watched deleting(int index) {
    pods.computeIfPresent(ShownPods.key(index), (key, pod) -> pod.withDeleting(true));
    return this;
  }

  public Watched vanishes(int index) {
    pods.remove(ShownPods.key(index));
    return this;
  }

  /** A pod of that name, but another than before. */
  public Watched another(int index, MemberState state, @Nullable Integer exitCode) {
    ObservedMember pod = ShownPods.pod(index, state, true, exitCode, null, now);
    return shown(pod.with().uid("other-uid").startedAt(now).build());
  }

  private Watched shown(ObservedMember pod) {
    pods.put(pod.key(), pod);
    return this;
  }
}
