package dev.fairlead.kernel.metric;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * All metrics of Fairlead, by name. They are registered by these names, labels and meanings, and
 * docs/reference/metrics.md is generated from them. No scrape reads the database.
 */
public enum Metric {
  API_REFUSED(
      "api.refused",
      MetricKind.COUNTER,
      "Requests that were refused before they were handled: an exhausted request budget, a busy process, a body that is too large or too slow, or too many unread responses",
      Label.WHY),
  ATTEMPTS(
      "attempts",
      MetricKind.GAUGE,
      "Live attempts in the scheduler's last snapshot. Exported only by the holder of the lease `scheduler`",
      Label.CLUSTER,
      Label.ATTEMPT_STATE),
  ATTEMPTS_MISSING(
      "attempts.missing",
      MetricKind.GAUGE,
      "Attempts with pods that the cluster does not show while its circuit breaker is open, 0 while it is closed",
      Label.CLUSTER_LEASE),
  ATTEMPTS_OLDEST(
      "attempts.oldest",
      MetricKind.SECONDS,
      "Age of the oldest live attempt that is not RUNNING: since its placement, its launch or the loss of contact, or for STOPPING since its deadline. Exported only by the holder of the lease `scheduler`",
      Label.ATTEMPT_STATE),
  ATTEMPTS_SET_ASIDE(
      "attempts.set-aside",
      MetricKind.GAUGE,
      "Attempts that Fairlead could not handle and skips for ten minutes",
      Label.CLUSTER_LEASE),
  ATTEMPT_START(
      "attempt.start",
      MetricKind.TIMER,
      "Time from the placement of an attempt until all its members run",
      seconds(1, 5, 15, 60, 300, 1800)),
  AUDIT_BROKEN(
      "audit.broken",
      MetricKind.GAUGE,
      "Rows of the audit log that differ from their seals because they were changed, removed or added, in the current or the previous check. Exported only by the holder of the lease `seal`"),
  AUDIT_SEAL_REFUSED(
      "audit.seal.refused",
      MetricKind.GAUGE,
      "1 while nothing is sealed because the end of the chain differs from the last end that this process read. Exported only by the holder of the lease `seal`",
      Label.CHAIN_END),
  AUDIT_SEALED(
      "audit.sealed",
      MetricKind.GAUGE,
      "Links of the audit chain. A decrease means that the chain was truncated or an older database was restored. Exported only by the holder of the lease `seal`"),
  AUDIT_UNSEALED_AGE(
      "audit.unsealed.age",
      MetricKind.SECONDS,
      "Age of the oldest audit row that is not sealed. Exported only by the holder of the lease `seal`"),
  CHECKPOINTS(
      "checkpoints",
      MetricKind.COUNTER,
      "Attempts that received a checkpoint request before a stop, counted when the wait ended",
      Label.CLUSTER_LEASE,
      Label.CHECKPOINT),
  CLOCK_REFUSED(
      "clock.refused",
      MetricKind.SECONDS,
      "Time by which the database's clock is ahead of this machine's clock and of the last usage sample, 0 while Fairlead accepts it. Also 0 if this process has not checked the clock in the last ten minutes"),
  CLUSTER_CALLS(
      "cluster.calls",
      MetricKind.TIMER,
      "Calls to the API server of a cluster, including the wait for this process's rate limit",
      Label.CLUSTER,
      Label.CALL),
  CLUSTER_CALLS_PERMITTED(
      "cluster.calls.permitted", MetricKind.GAUGE, "Limit of running calls", Label.CLUSTER),
  CLUSTER_CALLS_RUNNING(
      "cluster.calls.running", MetricKind.GAUGE, "Running calls to a cluster", Label.CLUSTER),
  CLUSTER_INFO(
      "cluster.info",
      MetricKind.GAUGE,
      "Always 1. Joins the name of a cluster with its id, lease and loop",
      Label.CLUSTER,
      Label.CLUSTER_ID,
      Label.INFO_LEASE,
      Label.CLUSTER_LOOP),
  CAMPAIGN_NODES(
      "campaign.nodes",
      MetricKind.GAUGE,
      "Nodes that are out of service for a campaign: being drained, or ready for maintenance. Exported only by the holder of the lease `campaigns`",
      Label.CLUSTER),
  CAMPAIGN_STOPPED(
      "campaign.stopped",
      MetricKind.GAUGE,
      "Running campaigns that start no more nodes because too many nodes are unhealthy after maintenance, or all remaining nodes are unhealthy. Exported only by the holder of the lease `campaigns`"),
  CLUSTER_REPAIRS(
      "cluster.repairs",
      MetricKind.COUNTER,
      "Labels, network policies and service accounts of namespaces that Fairlead restored after a change on the cluster",
      Label.CLUSTER),
  CLUSTER_QUOTA_REMOVALS(
      "cluster.quota.removals",
      MetricKind.COUNTER,
      "ResourceQuotas that Fairlead removed from namespaces because they refused a job or were not raised in time. The next passes recreate them",
      Label.CLUSTER),
  CLUSTER_SILENCE(
      "cluster.silence",
      MetricKind.SECONDS,
      "Time since the supervisor last found the cluster healthy. 0 while its watches are open and it answers",
      Label.CLUSTER),
  CLUSTER_STATE(
      "cluster.state",
      MetricKind.GAUGE,
      "1 for the current state of the cluster",
      Label.CLUSTER,
      Label.CLUSTER_STATE),
  CLUSTER_CERTIFICATE_LEFT(
      "cluster.certificate.left",
      MetricKind.SECONDS,
      "Time until the client certificate of the cluster expires, negative afterwards, at most a minute old. Exported only by the process that supervises the cluster, and only if there is a certificate",
      Label.CLUSTER),
  CLUSTER_TOKEN_LEFT(
      "cluster.token.left",
      MetricKind.SECONDS,
      "Time until the token of the cluster expires, negative afterwards, at most a minute old. Exported only by the process that supervises the cluster, and only for renewed tokens",
      Label.CLUSTER),
  CLUSTER_TOKEN_RENEWALS(
      "cluster.token.renewals",
      MetricKind.COUNTER,
      "New tokens for the cluster's own account. A failed renewal is retried until the token expires",
      Label.CLUSTER,
      Label.RENEWAL),
  CLUSTER_PASS_AGE(
      "cluster.pass.age",
      MetricKind.SECONDS,
      "Time since the last successful pass over the cluster",
      Label.CLUSTER),
  NODE_NOTICES(
      "node.notices",
      MetricKind.GAUGE,
      "Nodes with an announced end of their machine, by kind of notice",
      Label.CLUSTER,
      Label.NOTICE),
  NODE_NOTICES_OVERDUE(
      "node.notices.overdue",
      MetricKind.GAUGE,
      "Nodes that still have members a minute after the deadline of their notice",
      Label.CLUSTER),
  COUNTERS_DRIFT(
      "counters.drift",
      MetricKind.COUNTER,
      "Counters that differed from their rows and were recomputed",
      Label.COUNTED),
  DIVERGENCES(
      "divergences",
      MetricKind.GAUGE,
      "Attempts with a state on the cluster that differs from the stored state",
      Label.CLUSTER_LEASE),
  EFFICIENCY_SERIES(
      "efficiency.series",
      MetricKind.COUNTER,
      "Series of pods that were read from the Prometheus of the cluster",
      Label.CLUSTER,
      Label.SERIES),
  EFFICIENCY_UNREAD(
      "efficiency.unread",
      MetricKind.COUNTER,
      "Queries of the cluster's Prometheus without a usable response",
      Label.CLUSTER),
  EVENTS(
      "events",
      MetricKind.COUNTER,
      "Events by type: admissions, preemptions, ends. Exported only by the holder of the lease `event-publisher`",
      Label.EVENT_TYPE),
  EVENT_DELIVERY(
      "event.delivery",
      MetricKind.TIMER,
      "Time from an event until it can be delivered. Exported only by the holder of the lease `event-publisher`",
      seconds(1, 5, 30)),
  EVENT_STREAMS("event.streams", MetricKind.GAUGE, "Open event streams of this process"),
  EVICTIONS(
      "evictions", MetricKind.COUNTER, "Attempts that were preempted for other jobs", Label.RIGHT),
  FORECAST_REFUSED(
      "forecast.refused",
      MetricKind.COUNTER,
      "Forecasts that were refused because other forecasts were in progress"),
  FRONT_JOBS(
      "front.jobs",
      MetricKind.COUNTER,
      "Checks of the front cluster's Jobs, by result",
      Label.CLUSTER,
      Label.FRONT_OUTCOME),
  FRONT_MISSING(
      "front.missing",
      MetricKind.GAUGE,
      "Adopted Jobs of the front cluster that are missing while its circuit breaker is open, 0 while it is closed. Exported only by the holder of the lease of the cluster",
      Label.CLUSTER),
  FRONT_UNREAD(
      "front.unread",
      MetricKind.SECONDS,
      "Time since all Jobs of the front cluster were last seen. Exported only by the holder of the lease of the cluster",
      Label.CLUSTER),
  GPUS(
      "gpus",
      MetricKind.GAUGE,
      "GPUs by model and use in the scheduler's last snapshot. A shared GPU counts by its allocated parts. Exported only by the holder of the lease `scheduler`",
      Label.CLUSTER,
      Label.MODEL,
      Label.GPU_USE),
  GPU_FAULTS(
      "gpu.faults",
      MetricKind.COUNTER,
      "GPUs with a new fault in the metrics of the DCGM exporter and skipped GPUs, by outcome",
      Label.CLUSTER,
      Label.GPU_FAULT),
  IDLE_JOBS(
      "idle.jobs",
      MetricKind.COUNTER,
      "Jobs that did not use their GPUs or reported no activity, by action",
      Label.IDLE_STEP),
  LAUNCHES_REFUSED(
      "launches.refused",
      MetricKind.COUNTER,
      "Attempts that a cluster refused",
      Label.CLUSTER_LEASE,
      Label.REFUSAL),
  LEASE_HELD("lease.held", MetricKind.GAUGE, "1 while this process holds the lease", Label.LEASE),
  LEASE_TAKEN(
      "lease.taken",
      MetricKind.COUNTER,
      "Number of times that this process took the lease",
      Label.LEASE),
  LOG_BYTES(
      "log.bytes",
      MetricKind.COUNTER,
      "Bytes of output that were copied from a cluster to the log store, before compression",
      Label.CLUSTER_LEASE),
  LOG_GAPS(
      "log.gaps",
      MetricKind.COUNTER,
      "Gaps in logs: output that was deleted before it was read, or that could not be stored",
      Label.CLUSTER_LEASE),
  LOG_LAG(
      "log.lag",
      MetricKind.SECONDS,
      "Time for which the collection of output has been due, for the member with the longest delay",
      Label.CLUSTER_LEASE),
  LOG_STORE_FAILURES(
      "log.store.failures",
      MetricKind.COUNTER,
      "Chunks that the log store refused or did not return. Each is retried",
      Label.CLUSTER_LEASE),
  LOG_STORE_UNPROVED(
      "log.store.unproved",
      MetricKind.SECONDS,
      "Time without proof that only this database uses the log store. During that time no log is removed. Exported only by the holder of the lease `logs`"),
  LOOP_FAILURES("loop.failures", MetricKind.COUNTER, "Turns that failed", Label.LOOP),
  LOOP_SUCCESS_AGE(
      "loop.last.success.age",
      MetricKind.SECONDS,
      "Time since the loop's last successful pass",
      Label.LOOP),
  LOOP_PASSED_OVER(
      "loop.passed-over",
      MetricKind.COUNTER,
      "Objects, such as a budget or a secret, that a pass of the loop could not handle and skipped. Its log names each",
      Label.LOOP),
  LOOP_TURNS("loop.turns", MetricKind.TIMER, "Passes of the loop", Label.LOOP),
  NOTES_LOST(
      "notes.lost",
      MetricKind.COUNTER,
      "Cached rows that were stale because a change wrote no change note"),
  PARTITIONS_HORIZON(
      "partitions.horizon",
      MetricKind.SECONDS,
      "Time for which partitions of future events exist. Exported only by the holder of the lease `retention`"),
  PLAN_DROPPED(
      "plan.dropped",
      MetricKind.COUNTER,
      "Decisions that were no longer valid when they were written. They are planned again",
      Label.GUARD),
  PLAN_FAILED(
      "plan.failed", MetricKind.COUNTER, "Decisions that could not be written", Label.DECISION),
  PLAN_WRITTEN(
      "plan.written",
      MetricKind.COUNTER,
      "Decisions that were written: `place` is an admission, `preempt` a preemption",
      Label.DECISION),
  QUEUE_OLDEST_WAIT(
      "queue.oldest.wait",
      MetricKind.SECONDS,
      "Wait of the job that has waited longest in the queue. Exported only by the holder of the lease `scheduler`",
      Label.QUEUE,
      Label.TENANT),
  QUEUE_PENDING(
      "queue.pending",
      MetricKind.GAUGE,
      "Jobs of the queue that wait for a placement. Exported only by the holder of the lease `scheduler`",
      Label.QUEUE,
      Label.TENANT),
  RETENTION_FAILURES(
      "retention.failures", MetricKind.COUNTER, "Failed statements of retention", Label.RETENTION),
  RETENTION_LATE(
      "retention.late",
      MetricKind.SECONDS,
      "Excess age of the oldest row. 0 while it is less than 26 hours",
      Label.RETENTION),
  SCHEDULE_LAG(
      "schedule.lag",
      MetricKind.SECONDS,
      "Delay of the schedule that has been due the longest. Exported only by the holder of the lease `schedules`"),
  SCHEDULE_RUNS(
      "schedule.runs",
      MetricKind.COUNTER,
      "Decisions about due times of schedules",
      Label.SCHEDULE_OUTCOME),
  SCHEDULER_CYCLE(
      "scheduler.cycle",
      MetricKind.TIMER,
      "Duration of the parts of a scheduling cycle that planned jobs",
      seconds(0.01, 0.1, 1, 10),
      Label.STAGE),
  SCHEDULING_WAIT(
      "scheduling.wait",
      MetricKind.TIMER,
      "Time from the start of a job's wait to the plan that places it",
      seconds(1, 10, 60, 600, 3600)),
  SNAPSHOT_CONTRADICTIONS(
      "snapshot.contradictions",
      MetricKind.GAUGE,
      "Inconsistent rows that the scheduler ignored",
      Label.CONTRADICTION),
  GATE_REFUSED(
      "gate.refused",
      MetricKind.COUNTER,
      "Requests that the gate of model services refused because its queue was full or no replica became ready in time"),
  GATE_REQUESTS(
      "gate.requests",
      MetricKind.GAUGE,
      "Requests that the gate of model services queues or forwards in this process"),
  GATE_UNREAD(
      "gate.unread",
      MetricKind.COUNTER,
      "Responses with an unknown number of tokens because the gate held its maximum of unread response bytes"),
  ROLLOUTS_PAUSED("rollouts.paused", MetricKind.SECONDS, "Age of the longest pause of a rollout"),
  SESSIONS("sessions", MetricKind.GAUGE, "Open sessions to members, in this process"),
  WARM_POOL_SESSIONS(
      "warm-pool.sessions",
      MetricKind.COUNTER,
      "Submitted sessions of projects with a warm pool",
      Label.WARM_POOL),
  SPANS(
      "spans",
      MetricKind.COUNTER,
      "Spans of traces by result. Spans that are neither sent nor failed are queued or lost",
      Label.SPANS),
  REPAIR_OVERDUE(
      "repair.overdue",
      MetricKind.GAUGE,
      "Repairs of nodes whose step is overdue. Exported only by the holder of the lease `repairs`",
      Label.REPAIR_STEP),
  HANGS("hangs", MetricKind.COUNTER, "Attempts stopped because they reported no progress"),
  HEALTH_TESTS_DOUBTED(
      "health-tests.doubted",
      MetricKind.GAUGE,
      "Health tests with a paused schedule because their last runs passed on no node. Exported only by the holder of the lease `health-tests`"),
  REPAIR_STEP(
      "repair.step",
      MetricKind.TIMER,
      "Time from the request of a repair step until an operator or a repairer reports its completion",
      Label.REPAIR_STEP),
  REPAIR_BETWEEN(
      "repair.between",
      MetricKind.TIMER,
      "Time from the end of a repair of a node until its next repair begins, by the strongest completed step",
      Label.REPAIR_STEP),
  TRANSFERS_STALLED(
      "transfers.stalled",
      MetricKind.SECONDS,
      "Time since the last progress of the volume transfer that has been stalled for the longest time, 0 without active transfers. Transfers that wait for jobs to unmount their volume are excluded. Exported only by the holder of the lease `transfers`"),
  SUPPLY_READY(
      "supply.ready",
      MetricKind.TIMER,
      "Time from a request for nodes until its provisioner has delivered all of them",
      seconds(60, 300, 900, 1800, 3600)),
  SUPPLY_REQUESTS(
      "supply.requests",
      MetricKind.COUNTER,
      "Requests for nodes, counted when they are created and when they are settled",
      Label.SUPPLY_STATE),
  SUPPLY_UNANSWERED(
      "supply.unanswered",
      MetricKind.COUNTER,
      "Calls that the provisioner of a pool did not answer"),
  VOLUMES_MISSING(
      "volumes.missing",
      MetricKind.GAUGE,
      "Volumes with claims that the cluster does not show while the circuit breaker of its volumes is open, 0 while it is closed",
      Label.CLUSTER_LEASE),
  WEBHOOK_DELIVERIES(
      "webhook.deliveries", MetricKind.COUNTER, "Events sent to webhooks", Label.WEBHOOK_OUTCOME),
  WEBHOOK_LAG(
      "webhook.lag",
      MetricKind.SECONDS,
      "Age of the oldest event that an active webhook has not accepted. Exported only by the holder of the lease `webhooks`"),
  WEBHOOKS_DISABLED(
      "webhooks.disabled", MetricKind.GAUGE, "Webhooks that are disabled and get no calls"),
  WORLD_AGE(
      "world.age",
      MetricKind.SECONDS,
      "Age of the database view that the last plan used. Exported only by the holder of the lease `scheduler`");

  private static final String PREFIX = "fairlead.";
  private final String meter;
  private final MetricKind kind;
  private final String meaning;

  /** Copies, which nothing changes. */
  @SuppressWarnings("ImmutableEnumChecker")
  private final List<Duration> buckets;

  @SuppressWarnings("ImmutableEnumChecker")
  private final List<Label> labels;

  Metric(String name, MetricKind kind, String meaning, Label... labels) {
    this(name, kind, meaning, List.of(), labels);
  }

  Metric(String name, MetricKind kind, String meaning, List<Duration> buckets, Label... labels) {
    this.meter = PREFIX + name;
    this.kind = kind;
    this.meaning = meaning;
    this.buckets = List.copyOf(buckets);
    this.labels = List.of(labels);
  }

  private static List<Duration> seconds(double... bounds) {
    return DoubleStream.of(bounds).mapToObj(s -> Duration.ofMillis((long) (1000 * s))).toList();
  }

  /** Returns the metric registered under that name, if any. */
  public static Optional<Metric> of(String meter) {
    return Stream.of(values()).filter(metric -> metric.meter.equals(meter)).findFirst();
  }

  /** Name at registration, {@code fairlead.loop.turns}. */
  public String meter() {
    return meter;
  }

  /** Name of its family in a scrape, {@code fairlead_loop_turns_seconds}. */
  public String family() {
    return meter.replace('.', '_').replace('-', '_').toLowerCase(Locale.ROOT) + kind.suffix;
  }

  public MetricKind kind() {
    return kind;
  }

  /** Returns the type in a scrape. A timer with buckets is a histogram. */
  public String type() {
    return buckets.isEmpty() ? kind.wire : "histogram";
  }

  public String meaning() {
    return meaning;
  }

  /** Upper bounds of the buckets of a timer that has them. */
  public List<Duration> buckets() {
    return buckets;
  }

  public List<Label> labels() {
    return labels;
  }

  /** Returns the key and value of each label, from one value for each, in their order. */
  public String[] tags(String... values) {
    if (values.length != labels.size()) {
      throw new IllegalArgumentException(name() + " has the labels " + labels);
    }
    return IntStream.range(0, values.length)
        .boxed()
        .flatMap(i -> Stream.of(labels.get(i).key(), values[i]))
        .toArray(String[]::new);
  }

  /** Maximum number of series in one process with 100 queues and 50 clusters. */
  public int most() {
    int combinations = labels.stream().mapToInt(Label::most).reduce(1, Math::multiplyExact);
    int each = kind == MetricKind.TIMER ? 3 + (buckets.isEmpty() ? 0 : buckets.size() + 1) : 1;
    return Math.multiplyExact(combinations, each);
  }
}
