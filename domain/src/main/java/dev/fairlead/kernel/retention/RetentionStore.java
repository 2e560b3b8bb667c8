package dev.fairlead.kernel.retention;

import java.time.Duration;
import java.util.Map;

/**
 * Removes old rows and creates partitions for new rows. Several replicas may run it concurrently.
 */
public interface RetentionStore {
  /** Kinds of old rows, each with its own statement and age. */
  enum Kind {
    /** Ended jobs without remaining objects on a cluster. They move to the archive. */
    JOBS,
    IDEMPOTENCY_KEYS,
    /** API tokens that expired or were revoked. */
    TOKENS,
    OPERATIONS,
    /** Explanations without a job. */
    EXPLANATIONS,
    /** Whole days of events. */
    EVENTS,
    /** Health events that monitors of clusters posted. Incidents stay longer. */
    HEALTH_EVENTS,
    /** Ended incidents with their quarantines. */
    INCIDENTS,
    /**
     * GPUs without a recent sighting and without an incident, with their history. The history of
     * other GPUs is removed with the age of incidents.
     */
    DEVICES,
    /** Usage intervals, whose hourly sums stay, and use by API keys. */
    USAGE,
    /** Decisions about jobs, ended or not. */
    DECISIONS,
    /** Numbers of starts and preemptions of jobs, by day. */
    PREEMPTION_COUNTS,
    /** Use of GPUs by attempts. */
    EFFICIENCY,
    /** The history of the configuration. */
    CONFIG_VERSIONS,
    /**
     * Nodes that their clusters no longer list and that no live attempt has a member on. A
     * returning one retains its id and its cordon. After {@link Ages#GONE} its quarantines and
     * incidents end.
     */
    NODES
  }

  /** Ensures that the coming days have partitions. Runs at startup and at least daily. */
  void prepare();

  /**
   * Moves and removes rows of one kind that are over their age, about {@code limit} rows at the
   * most: for jobs, their elements, attempts and members count. A larger job is processed in
   * pieces. Returns more than 0 when it did something. Call again then. On failure the rows are
   * unchanged. A smaller limit may succeed.
   */
  int clear(Kind kind, Ages ages, int limit);

  /** Age of the oldest row that is due for removal. Kinds without rows are omitted. */
  Map<Kind, Duration> oldest();

  /** Time from now for which event partitions exist. */
  Duration horizon();

  /** Sums single records, so that reads stay fast. Every minute or so. */
  void fold();
}
