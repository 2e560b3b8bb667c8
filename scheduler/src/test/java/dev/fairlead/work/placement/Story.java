package dev.fairlead.work.placement;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptLifecycle;
import dev.fairlead.work.attempt.AttemptStatus;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.PlaceFailure;
import dev.fairlead.work.attempt.Preflight;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.FaultReservation;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.placement.laws.Changed;
import dev.fairlead.work.placement.laws.Ended;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Runs a scene cycle by cycle: plans are applied, time passes, attempts end. */
final class Story {
  private static final long ENOUGH = 1_000_000_000;

  private World world;

  Story(Scene scene) {
    world = scene.world();
  }

  /** The next plan, applied. */
  Scene.Planned plan() {
    return plan(ENOUGH, List.of());
  }

  /** Returns the same after a cycle with this work budget that did not reach these nodes. */
  Scene.Planned plan(long workBudget, List<Reservation.Key> postponed) {
    Scene.Planned planned = look(workBudget, postponed);
    world = After.of(world, planned.plan());
    return planned;
  }

  /** The next plan, not applied. */
  Scene.Planned look() {
    return look(ENOUGH, List.of());
  }

  Scene.Planned look(long workBudget, List<Reservation.Key> postponed) {
    return new Scene.Planned(
        world,
        new SchedulingEngine().plan(new Snapshot(world, List.of(), postponed, workBudget, null)));
  }

  Story submit(JobBuilder... jobs) {
    List<PendingJob> pending = new ArrayList<>(world.pending());
    List.of(jobs).forEach(job -> pending.add(job.pending()));
    return with(pending, world.asOf());
  }

  Story withdraw(JobBuilder job) {
    List<PendingJob> pending = new ArrayList<>(world.pending());
    pending.removeIf(p -> p.job().id().equals(job.id()));
    return with(pending, world.asOf());
  }

  Story pass(Duration time) {
    return with(world.pending(), world.asOf().plus(time));
  }

  /** Its attempt has ended permanently. */
  Story ends(JobBuilder job) {
    return ended(job);
  }

  /** Its attempt has been evicted, and it waits again. */
  Story leaves(JobBuilder job) {
    Job ran = live(job).job();
    ended(job);
    JobStatus run =
        new JobStatus(
            JobState.QUEUED, world.asOf(), ran.run().startedAt(), null, 1, 0, 0, null, null);
    List<PendingJob> pending = new ArrayList<>(world.pending());
    pending.add(
        new PendingJob(
            ran.next(run, ran.array()),
            List.of(new PendingJob.Offer(0, 1, null)),
            List.of(),
            null));
    return with(pending, world.asOf());
  }

  /** Number of running members. */
  int members(JobBuilder job) {
    return live(job).attempt().members().size();
  }

  /** On which nodes its members run that are not to leave. */
  List<String> staying(JobBuilder job) {
    return live(job).attempt().members().stream()
        .filter(m -> !m.leaves())
        .map(Member::nodeName)
        .toList();
  }

  private World.LiveAttempt live(JobBuilder job) {
    return world.live().stream()
        .filter(l -> l.job().id().equals(job.id()))
        .findFirst()
        .orElseThrow();
  }

  /** Its attempt on one node failed because of that node, and it waits again. */
  Story fails(JobBuilder job, FailureCause cause) {
    World.LiveAttempt gone = live(job);
    List<PlaceFailure> failures = new ArrayList<>(world.placeFailures());
    failures.add(
        new PlaceFailure(
            job.id(),
            0,
            gone.attempt().members().getFirst().node(),
            cause,
            world.asOf(),
            world.asOf(),
            null,
            null));
    leaves(job);
    world = Changed.failures(world, failures);
    return this;
  }

  /** Its owner has changed its requests while it runs. */
  Story asks(JobBuilder job) {
    List<World.LiveAttempt> live = new ArrayList<>(world.live());
    live.replaceAll(l ->
        l.job().id().equals(job.id())
            ? new World.LiveAttempt(l.attempt(), asking(l.job(), job.spec()))
            : l);
    world = Changed.live(world, live);
    return this;
  }

  private static Job asking(Job j, JobSpec spec) {
    return new Job(
        j.id(),
        j.tenant(),
        j.project(),
        j.queue(),
        j.name(),
        j.user(),
        spec,
        j.priority(),
        j.createdAt(),
        j.run(),
        j.array(),
        List.of(),
        j.version() + 1);
  }

  /** The node receives no new work. */
  Story cordons(String name) {
    List<Node> nodes = new ArrayList<>(world.nodes());
    nodes.replaceAll(n -> n.name().equals(name) ? in(n, NodeState.CORDONED) : n);
    world = Changed.nodes(world, nodes);
    return this;
  }

  /** The node accepts members again. */
  Story heals(String name) {
    List<Node> nodes = new ArrayList<>(world.nodes());
    nodes.replaceAll(n -> n.name().equals(name) ? in(n, NodeState.ACTIVE) : n);
    world = Changed.nodes(world, nodes);
    return this;
  }

  private static Node in(Node n, NodeState state) {
    return n.in(state).withVersion(n.version() + 1);
  }

  /**
   * An incident isolates the node, and the job's attempt, which has a member on the node, is
   * stopped.
   */
  Story faults(JobBuilder job, String node) {
    Failure failure = Failure.ofIncident("XID 79", 1, "worker-0", node, null, "inc_1");
    return loses(job, node, StopCause.ISOLATION, failure, NodeState.QUARANTINED);
  }

  /** An incident isolates the node. Its member is ordered to leave, and the others continue. */
  Story takesMember(JobBuilder job, String node) {
    World.LiveAttempt sick = live(job);
    List<Node> nodes = new ArrayList<>(world.nodes());
    nodes.replaceAll(n -> n.name().equals(node) ? in(n, NodeState.QUARANTINED) : n);
    List<World.LiveAttempt> live = new ArrayList<>(world.live());
    Attempt told =
        sick.attempt()
            .with(
                sick.attempt().members().stream()
                    .map(m -> m.nodeName().equals(node) ? m.leaving(world.asOf()) : m)
                    .toList());
    live.replaceAll(l -> l.job().id().equals(job.id()) ? new World.LiveAttempt(told, l.job()) : l);
    world = Changed.nodes(Changed.live(world, live), nodes);
    return this;
  }

  /** The machine fails without an incident, and the others of the job's attempt are stopped. */
  Story machineFails(JobBuilder job, String node) {
    Failure failure =
        new Failure(
            FailureCause.NODE_FAILURE,
            "rebooted",
            1,
            "worker-0",
            node,
            null,
            null,
            List.of(),
            null);
    return loses(job, node, StopCause.MEMBER_FAILED, failure, NodeState.UNREACHABLE);
  }

  private Story loses(
      JobBuilder job, String node, StopCause cause, Failure failure, NodeState state) {
    World.LiveAttempt sick = live(job);
    AttemptEvent.Stop stop =
        new AttemptEvent.Stop(cause, failure, world.asOf().plus(Duration.ofSeconds(30)));
    Attempt stopping = AttemptLifecycle.apply(sick.attempt(), stop, world.asOf()).orElseThrow();
    Transition step =
        JobTransitions.observe(
            sick.job(), null, stopping, stop, List.of(), world.asOf(), "supervisor");
    List<World.LiveAttempt> live = new ArrayList<>(world.live());
    live.replaceAll(
        l -> l.job().id().equals(job.id()) ? new World.LiveAttempt(stopping, l.job()) : l);
    List<Reservation> reservations = new ArrayList<>(world.reservations());
    FaultReservation.of(step, sick.attempt().state(), world.asOf()).ifPresent(reservations::add);
    List<Node> nodes = new ArrayList<>(world.nodes());
    nodes.replaceAll(n -> n.name().equals(node) ? in(n, state) : n);
    world = Changed.nodes(Changed.live(Changed.reservations(world, reservations), live), nodes);
    return this;
  }

  /** Its next attempt must not start earlier. */
  Story retriesAt(JobBuilder job, Instant at) {
    List<PendingJob> pending = new ArrayList<>(world.pending());
    pending.replaceAll(p ->
        p.job().id().equals(job.id())
            ? new PendingJob(
                p.job(), List.of(new PendingJob.Offer(0, 1, at)), p.unmet(), p.deadDependency())
            : p);
    return with(pending, world.asOf());
  }

  /** Another job tests the node and reports the result. */
  Story tests(JobBuilder job, String node, JobBuilder tester, Preflight.Verdict verdict) {
    Reservation place =
        world.reservations().stream()
            .filter(r -> r.job().equals(job.id()))
            .findFirst()
            .orElseThrow();
    NodeId id =
        world.nodes().stream()
            .filter(n -> n.name().equals(node))
            .map(Node::id)
            .findFirst()
            .orElseThrow();
    List<Preflight> all = new ArrayList<>(world.preflights());
    all.removeIf(test -> test.node().equals(id));
    all.add(new Preflight(place.key(), place.createdAt(), id, tester.id(), verdict, world.asOf()));
    world = world.toBuilder().preflights(all).build();
    return this;
  }

  /** The tests belong to places that no longer exist. */
  Story formerTests() {
    List<Preflight> former = new ArrayList<>();
    for (Preflight test : world.preflights()) {
      Instant since = test.since().minusSeconds(1);
      former.add(
          new Preflight(test.of(), since, test.node(), test.tester(), test.verdict(), test.at()));
    }
    world = world.toBuilder().preflights(former).build();
    return this;
  }

  /** Its members that were ordered to leave have left. */
  Story shrinks(JobBuilder job) {
    world = Ended.partly(world, live(job));
    return this;
  }

  /** Its current work can be resumed. */
  Story saves(JobBuilder job) {
    List<World.LiveAttempt> live = new ArrayList<>(world.live());
    live.replaceAll(l ->
        l.job().id().equals(job.id())
            ? new World.LiveAttempt(saved(l.attempt(), world.asOf()), l.job())
            : l);
    world = Changed.live(world, live);
    return this;
  }

  /** An administrator gives the queue other limits. */
  Story limits(QuotaNodeId queue, QuotaLimit... limits) {
    List<QuotaNode> nodes = new ArrayList<>(world.quotaNodes());
    nodes.replaceAll(q -> q.id().equals(queue) ? limited(q, limits) : q);
    world = Changed.quotas(world, nodes);
    return this;
  }

  /** One queue more. */
  Story adds(QuotaNode queue) {
    List<QuotaNode> nodes = new ArrayList<>(world.quotaNodes());
    nodes.add(queue);
    world = Changed.quotas(world, nodes);
    return this;
  }

  /** An administrator changes the queues. */
  /** All clusters are in this state from now on. */
  Story contender(ClusterState state) {
    world = Changed.clusters(world, world.clusters().stream().map(c -> c.in(state)).toList());
    return this;
  }

  Story governs(List<QuotaNode> queues) {
    world = Changed.quotas(world, queues);
    return this;
  }

  /** An administrator holds the queue. */
  Story holds(QuotaNodeId queue) {
    List<QuotaNode> nodes = new ArrayList<>(world.quotaNodes());
    nodes.replaceAll(q -> q.id().equals(queue) ? held(q) : q);
    world = Changed.quotas(world, nodes);
    return this;
  }

  private static QuotaNode held(QuotaNode q) {
    return new QuotaNode(
        q.id(),
        q.tenant(),
        q.name(),
        q.parent(),
        q.depth(),
        q.weight(),
        q.limits(),
        q.preemption(),
        QueueSettings.of(QueueSettings.Order.BEST_EFFORT_FIFO, QueueSettings.State.HELD, null),
        SharePolicy.DOMINANT_SHARE,
        null,
        q.version() + 1);
  }

  private static QuotaNode limited(QuotaNode q, QuotaLimit... limits) {
    return q.with().limits(List.of(limits)).version(q.version() + 1).build();
  }

  private static Attempt saved(Attempt a, Instant now) {
    return a.withStatus(
        AttemptStatus.of(a.state())
            .with()
            .launchedAt(a.launchedAt())
            .startedAt(a.startedAt())
            .unreachableSince(a.unreachableSince())
            .endedAt(a.endedAt())
            .stop(a.stop())
            .failure(a.failure())
            .retiredAt(a.retiredAt())
            .checkpointedAt(now)
            .build());
  }

  private Story ended(JobBuilder job) {
    World.LiveAttempt gone = live(job);
    world = Ended.of(world, gone);
    return this;
  }

  World world() {
    return world;
  }

  List<Reservation> reservations() {
    return world.reservations();
  }

  private Story with(List<PendingJob> pending, Instant asOf) {
    world = world.toBuilder().asOf(asOf).pending(pending).build();
    return this;
  }
}
