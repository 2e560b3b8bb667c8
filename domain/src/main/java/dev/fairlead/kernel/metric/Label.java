package dev.fairlead.kernel.metric;

/**
 * A label of metrics. Its values come from a closed set or grow with queues and clusters. The
 * number of values of a label never grows with jobs, users or nodes.
 */
public enum Label {
  CLUSTER("cluster", Most.CLUSTERS, "name of the cluster"),
  CLUSTER_ID("id", 1, "id of the cluster (one for each cluster name)"),
  CLUSTER_STATE("state", 5, "state of the cluster"),
  LEASE("lease", Most.CLUSTERS + 20, "name of the lease, `cluster/<id>` for a cluster"),
  CLUSTER_LEASE(
      "lease", Most.CLUSTERS, "lease of the cluster. `fairlead_cluster_info` has its name"),
  LOOP("loop", Most.CLUSTERS + 25, "name of the loop, `supervisor-<id>` for a cluster"),
  CLUSTER_LOOP("loop", 1, "loop of the cluster's supervisor (one for each cluster name)"),
  INFO_LEASE("lease", 1, "lease of the cluster (one for each cluster name)"),
  QUEUE("queue", Most.QUEUES, "name of the queue"),
  TENANT("tenant", 1, "id of the queue's tenant (one for each queue)"),
  MODEL("model", 6, "GPU model of one cluster"),
  GPU_USE(
      "state", 4, "`allocated`, `free`, `closed` (on a node that accepts no new jobs) or `failed`"),
  CHAIN_END("why", 3, "`other_key`, `cut_off` or `ahead`"),
  ATTEMPT_STATE("state", 6, "state of the attempt"),
  STAGE("stage", 3, "`read`, `plan` or `write`"),
  DECISION("decision", 10, "kind of the decision"),
  GUARD("guard", 12, "condition that was no longer true"),
  RIGHT("right", 8, "preemption right that evicted the attempt"),
  CALL("outcome", 6, "`ok`, `refused`, `throttled` (429), `held-back` (not sent), `failed`"),
  CHECKPOINT(
      "outcome",
      4,
      "`ACKNOWLEDGED` (its job reported it), `EXITED` (its members ended on their own), `TIMED_OUT`,"
          + " `CUT_SHORT` (a cancel or a fault left nothing to wait for)"),
  RENEWAL(
      "outcome",
      2,
      "`renewed`, or `failed` if the cluster issued no token, an unusable token, or a token that it rejects itself"),
  REFUSAL("kind", 12, "the operation that the cluster refuses"),
  EVENT_TYPE("type", 60, "type of the event"),
  RETENTION("kind", 15, "kind of the rows"),
  COUNTED("kind", 8, "kind of the counter"),
  CONTRADICTION("kind", 12, "kind of the contradiction"),
  REPAIR_STEP("step", 5, "`RESET_GPU`, `REBOOT`, `POWER_CYCLE`, `SERVICE` or `REPLACE`"),
  NOTICE(
      "kind",
      7,
      "`SPOT`, `MAINTENANCE`, `HOST_ERROR`, `REBALANCE`, `SCALE_DOWN`, `FREEZE` or `WITHDRAWN` (cordoned because its notices appear and disappear)"),
  IDLE_STEP("step", 2, "`WARN` (the owner is warned) or `RECLAIM` (it is suspended)"),
  FRONT_OUTCOME(
      "outcome",
      4,
      "`done`, `more` (a step is complete and another is due), `later` (it waits or was"
          + " refused), `away` (the cluster did not answer)"),
  SERIES(
      "outcome",
      3,
      "`taken`, `foreign` (not from a pod of a running attempt), `bad` (not a number, or an impossible GPU value)"),
  GPU_FAULT(
      "outcome",
      9,
      "`taken` (a health event), `known` (another monitor reported it), `late` (more than one pass handles), `foreign` (no node of the cluster), `disputed` (several machines claim the GPU), `crowded` (more than 256 GPUs of a node), `bad` (no value, or no UUID of a GPU), `full` (a new series while 200,000 values of the cluster are stored), `unread` (no usable response from Prometheus)"),
  SPANS(
      "outcome",
      4,
      "`made`, `sent` (the receiver accepted it), `failed`, `untold` (events that could not be"
          + " read)"),
  SCHEDULE_OUTCOME(
      "outcome",
      5,
      "`submitted`, or the reason why no job was submitted: `overlapped` (an earlier job has not"
          + " ended), `missed`, `refused` or `failed`"),
  SUPPLY_STATE("state", 4, "`PENDING` (asked), `READY`, `REFUSED` or `TIMED_OUT`"),
  WARM_POOL("result", 2, "`taken` (a running member of the pool) or `missed` (a new start)"),
  WEBHOOK_OUTCOME(
      "outcome", 3, "`delivered`, `failed` (it is retried) or `dead` (abandoned after three days)"),
  WHY(
      "why",
      6,
      "`budget` (request budget of the caller), `tenant` or `project` (its request budget),"
          + " `busy` (too many requests), `body`, or `answers` (responses not read)");

  private final String key;
  private final int most;
  private final String meaning;

  Label(String key, int most, String meaning) {
    this.key = key;
    this.most = most;
    this.meaning = meaning;
  }

  /** Cardinalities that the limits of this list assume. */
  private static final class Most {
    static final int CLUSTERS = 50;
    static final int QUEUES = 100;
  }

  /** The key in a series. */
  public String key() {
    return key;
  }

  /** Different values in one process with 100 queues and 50 clusters. */
  public int most() {
    return most;
  }

  public String meaning() {
    return meaning;
  }
}
