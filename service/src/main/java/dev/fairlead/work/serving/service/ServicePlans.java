package dev.fairlead.work.serving.service;

import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.serving.Idleness;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.Rollout;
import dev.fairlead.work.serving.Scaling;
import dev.fairlead.work.serving.ServicePlan;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServingStore;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Plans services by {@link ServicePlan} for the loop and for orders of users, and stores plans. */
final class ServicePlans {
  private static final Logger LOG = LoggerFactory.getLogger(ServicePlans.class);
  private final ServingStore services;
  private final ReplicaWatch watch;

  ServicePlans(ServingStore services, ReplicaWatch watch) {
    this.services = services;
    this.watch = watch;
  }

  /** The next state of a service. Equal to the state in all but the revision if nothing changes. */
  ServiceState next(
      ModelService service, ServiceState state, ReplicaWatch.Known known, Instant now) {
    ReplicaWatch.Look look = watch.look(state, known);
    boolean crowded = state.warm() != null && known.crowded(state);
    return ServicePlan.next(
        service, crowded ? state.withWarm(null) : state, look.seen(), look.traffic(), now);
  }

  /**
   * Stores the state after an order of a user in the open transaction. An order that moves all
   * traffic sets its weights immediately. The loop plans steps. While it is unknown whether a
   * cluster answers, the loop also applies orders.
   *
   * @return the stored state
   */
  ServiceState ordered(ModelService service, ServiceState before, ServiceState ordered) {
    if (ordered.revision() == before.revision()) {
      return before;
    }
    ReplicaWatch.Known known = watch.known(List.of(ordered));
    Rollout rollout = ordered.rollout();
    boolean stepping = rollout != null && rollout.open() && rollout.judged();
    ServiceState planned =
        known.certain() && !stepping ? next(service, ordered, known, watch.now()) : ordered;
    ServiceState next =
        planned.weights().equals(before.weights())
            ? ordered
            : planned.withRevision(ordered.revision());
    store(before, next);
    services.changed(WakeUps.Topic.SERVICES);
    return next;
  }

  /**
   * Stores the state in the open transaction. Other weights than before wake the supervisors, which
   * write the routes.
   */
  void store(ServiceState before, ServiceState next) {
    services.update(next);
    if (!next.weights().equals(before.weights())) {
      services.changed(WakeUps.Topic.ROUTES);
    }
  }

  /** Logs the differences of a stored plan. */
  static void journal(ModelService service, ServiceState before, ServiceState after) {
    journal(service, before.rollout(), after.rollout());
    Scaling scaling = after.scaling();
    if (scaling != null && before.wanted(service) != after.wanted(service)) {
      LOG.info(
          "service={} replicas={} before={} {}",
          service.name(),
          after.wanted(service),
          before.wanted(service),
          scaling.reason());
    }
    Idleness was = before.idleness();
    Idleness is = after.idleness();
    if (is != null && (was == null || was.phase() != is.phase())) {
      LOG.info("service={} idle={} {}", service.name(), is.phase(), is.reason());
    }
  }

  private static void journal(
      ModelService service, @Nullable Rollout before, @Nullable Rollout after) {
    if (after != null
        && (before == null || before.phase() != after.phase() || before.step() != after.step())) {
      LOG.info(
          "service={} version={} share={} phase={} {}",
          service.name(),
          after.target(),
          after.share(),
          after.phase(),
          after.reason());
    }
  }
}
