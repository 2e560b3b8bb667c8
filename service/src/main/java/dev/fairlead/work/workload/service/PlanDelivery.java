package dev.fairlead.work.workload.service;

import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.service.attempt.AttemptRepository;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Sends the current settings of projects to the namespaces of a cluster. */
final class PlanDelivery {
  private static final Duration EVERY = Duration.ofSeconds(30);
  private final AttemptRepository repository;
  private final Recurring again;

  /** The gateway that has the plans. Another gateway has none. */
  private @Nullable ClusterGateway last;

  PlanDelivery(AttemptRepository repository, MonotonicClock clock) {
    this.repository = repository;
    this.again = Recurring.fromNowOn(clock, EVERY);
  }

  void carry(ClusterGateway gateway) {
    if (again.due() || !gateway.equals(last)) {
      gateway.plan(repository.namespacePlans());
      last = gateway;
      again.done();
    }
  }
}
