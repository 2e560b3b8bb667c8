package dev.fairlead.work.event;

/**
 * Notifies loops of new work after commit, coalesced. A lost wake-up only delays the work until the
 * loop's next pass.
 */
public interface WakeUps {
  /** Coarse kind of a change. */
  enum Topic {
    JOBS,
    ATTEMPTS,
    INVENTORY,
    QUOTAS,
    /** Model services that need a plan: a request waits, or other replicas are ready. */
    SERVICES,
    /** Weights of model services. */
    ROUTES,
    /** Documents of the configuration, such as webhooks and model services. */
    SETTINGS
  }

  /**
   * Runs the listener on some thread soon after a change of the topic, here or in another replica.
   */
  Subscription subscribe(Topic topic, Runnable listener);

  /** Ends a subscription. */
  interface Subscription extends AutoCloseable {
    @Override
    void close();
  }
}
