package dev.fairlead.kernel.retention;

import java.time.Duration;
import java.util.Map;

/** Clears away old rows and makes room for new ones. Several replicas may do it at once. */
public interface OldRows {
  /** What is cleared away, each by its own statement and at its own age. */
  enum Kind {
    /** Ended jobs of which nothing is left on a cluster; they move to the archive. */
    JOBS,
    IDEMPOTENCY_KEYS,
    /** API tokens that expired or were revoked. */
    TOKENS,
    OPERATIONS,
    /** Explanations that no job refers to any more. */
    EXPLANATIONS,
    /** Whole days of events. */
    EVENTS,
    /** What monitors of clusters posted; incidents stay longer. */
    HEALTH_EVENTS,
    /** Ended incidents with their quarantines. */
    INCIDENTS,
    /**
     * GPUs that no source saw any more and of which no incident is left, with what happened to
     * them. What happened to others goes as late as incidents do.
     */
    DEVICES,
    /** Intervals of use; what they add up to by the hour stays. */
    USAGE,
    /** What was decided about jobs, ended or not. */
    DECISIONS,
    /** How often jobs started and were preempted, by day. */
    PREEMPTION_COUNTS,
    /** What attempts made of their GPUs. */
    EFFICIENCY,
    /** The history of the configuration. */
    CONFIG_VERSIONS,
    /**
     * Nodes that their clusters no longer list and that no live attempt has a member on. One that
     * comes back keeps its id and its cordon. After {@link Ages#GONE} its quarantines and incidents
     * end.
     */
    NODES
  }

  /** Makes sure that the coming days have their place. At start and at least daily. */
  void prepare();

  /**
   * Moves and removes rows of one kind that are over their age, about {@code limit} rows at the
   * most: for jobs, their elements, attempts and members count. A job that has more of them goes in
   * pieces. Returns more than 0 when it did something; call again then. When it fails, the rows are
   * as they were; a smaller limit may succeed.
   */
  int clear(Kind kind, Ages ages, int limit);

  /** How old the oldest row is that may go at its age; no entry for a kind without rows. */
  Map<Kind, Duration> oldest();

  /** For how long from now there is room for new events. */
  Duration horizon();

  /** Adds up what was noted one by one, so that reading it stays fast. Every minute or so. */
  void fold();
}
