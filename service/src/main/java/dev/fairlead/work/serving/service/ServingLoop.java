package dev.fairlead.work.serving.service;

import dev.fairlead.fleet.cluster.FleetSource;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.meter.GaugeRows;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.Replica;
import dev.fairlead.work.serving.Rollout;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.ServingStore;
import dev.fairlead.work.serving.spread.ClusterOrder;
import dev.fairlead.work.spec.JobSpec;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Runs model services: plans each one by {@link ServicePlans}, stores the plan, and then submits
 * and cancels the jobs of its replicas.
 */
@Component
public class ServingLoop extends LeasedLoop {
  private static final Logger LOG = LoggerFactory.getLogger(ServingLoop.class);
  private static final Duration IDLE = Duration.ofSeconds(2);

  /** Between two passes that replicas and users wake. */
  private static final Duration REST = Duration.ofMillis(500);

  /**
   * Maximum number of jobs that one pass submits for one service, so that it delays no other for
   * long.
   */
  private static final int MOST_SUBMITS = 100;

  private final ServingStore services;
  private final ConfigStore documents;
  private final ReplicaWatch watch;
  private final JobStore jobs;
  private final JobSubmits submits;
  private final Transactions transactions;
  private final GaugeRows paused;
  private final ServicePlans plans;

  public ServingLoop(
      Leases leases,
      ServingStore services,
      ConfigStore documents,
      ReplicaWatch watch,
      JobStore jobs,
      JobSubmits submits,
      Transactions transactions,
      MeterRegistry metrics) {
    super("model-services", "supervisor", IDLE, leases);
    this.services = services;
    this.documents = documents;
    this.watch = watch;
    this.jobs = jobs;
    this.submits = submits;
    this.transactions = transactions;
    this.paused = new GaugeRows(metrics, Metric.ROLLOUTS_PAUSED);
    this.plans = new ServicePlans(services, watch);
  }

  @Override
  public Duration rest() {
    return REST;
  }

  @Override
  public Set<WakeUps.Topic> wakesOn() {
    return Set.of(WakeUps.Topic.SERVICES, WakeUps.Topic.SETTINGS);
  }

  @Override
  protected boolean turn(HeldLease lease) {
    List<ServiceState> states = services.all();
    Instant now = jobs.now();
    show(states, now);
    if (states.isEmpty()) {
      quiet();
      return false;
    }
    Map<String, ConfigDocument<ModelService>> settings = documents.byName(ModelService.DOCUMENTS);
    ReplicaWatch.Known known = watch.known(states);
    for (ServiceState state : states) {
      ConfigDocument<ModelService> document = settings.get(state.document());
      if (document != null) {
        guarded(
            "service " + state.document(), () -> run(new Turn(lease, document, known, now), state));
      }
    }
    return false;
  }

  @Override
  protected void forget() {
    paused.show(Map.of());
  }

  private void show(List<ServiceState> states, Instant now) {
    Instant oldest =
        states.stream()
            .flatMap(state -> state.pause().stream())
            .map(Rollout.Pause::since)
            .min(Instant::compareTo)
            .orElse(now);
    long seconds = Duration.between(oldest, now).toSeconds();
    paused.show(Map.<List<String>, DoubleSupplier>of(List.of(), () -> seconds));
  }

  /** State shared by the steps of one service. */
  private record Turn(
      HeldLease lease,
      ConfigDocument<ModelService> document,
      ReplicaWatch.Known known,
      Instant now) {
    ModelService service() {
      return document.value();
    }
  }

  private void run(Turn turn, ServiceState state) {
    ServiceState next = plans.next(turn.service(), state, turn.known(), turn.now());
    ServiceState stored = state;
    if (!next.same(state)) {
      transactions.runFenced(turn.lease(), () -> plans.store(state, next));
      ServicePlans.journal(turn.service(), state, next);
      stored = next;
    }
    stored = sought(turn, stored);
    if (stored.deleting() && stored.replicas().isEmpty()) {
      transactions.runFenced(turn.lease(), () -> documents.remove(turn.document()));
      return;
    }
    stop(turn, stored);
    submit(turn, stored);
  }

  /**
   * Reads the jobs of stopping replicas by their keys: a job may have been submitted and not stored
   * with its replica. Without a job the replica is removed, and a process that lost the lease can
   * no longer submit it.
   */
  private ServiceState sought(Turn turn, ServiceState state) {
    List<Replica> replicas = new ArrayList<>();
    for (Replica replica : state.replicas()) {
      if (replica.stopping() && replica.job() == null) {
        services
            .version(state.tenant(), state.id(), replica.version())
            .flatMap(version ->
                submits.submitted(actor(state, version.createdBy()), replica.key(state.id())))
            .map(replica::submitted)
            .ifPresent(replicas::add);
      } else {
        replicas.add(replica);
      }
    }
    if (replicas.equals(state.replicas())) {
      return state;
    }
    ServiceState next = state.with(replicas);
    transactions.runFenced(turn.lease(), () -> services.update(next));
    return next;
  }

  private void stop(Turn turn, ServiceState state) {
    for (Replica replica : state.replicas()) {
      Job job = replica.job() == null ? null : turn.known().jobs().get(replica.job());
      if (replica.stopping()
          && job != null
          && !job.run().ended()
          && job.state() != JobState.CANCELLING) {
        try {
          submits.cancel(actor(state, job.user()), job.id());
        } catch (Refusal ended) {
          LOG.debug("job {} has ended", job.id().text(), ended);
        }
      }
    }
  }

  /** A job is submitted once for its key, also when the process ends before it is stored. */
  private void submit(Turn turn, ServiceState state) {
    List<Replica> due =
        state.replicas().stream()
            .filter(replica -> !replica.stopping() && replica.due(turn.now()))
            .limit(MOST_SUBMITS)
            .toList();
    if (due.isEmpty()) {
      return;
    }
    Spread spread = new Spread(watch.fleet(), new TreeMap<>());
    List<Replica> replicas =
        state.replicas().stream()
            .map(each -> due.contains(each) ? submitted(turn, state, each, spread) : each)
            .toList();
    transactions.runFenced(turn.lease(), () -> services.update(state.with(replicas)));
  }

  /**
   * Clusters of a service's replicas.
   *
   * @param replicas by version and cluster, including new replicas of this pass
   */
  private record Spread(
      FleetSource.Fleet fleet, SortedMap<Integer, SortedMap<String, Integer>> replicas) {}

  private Replica submitted(Turn turn, ServiceState state, Replica replica, Spread spread) {
    ServiceVersion version =
        services.version(state.tenant(), state.id(), replica.version()).orElse(null);
    if (version == null) {
      return replica.refused("version " + replica.version() + " was deleted", turn.now());
    }
    SortedMap<String, Integer> others =
        spread
            .replicas()
            .computeIfAbsent(replica.version(), number -> turn.known().replicas(state, number));
    JobSpec spec = version.replica(turn.service(), replica);
    List<String> order = ClusterOrder.of(spec, state.tenant(), spread.fleet(), others);
    try {
      JobId job =
          submits.submit(
              actor(state, version.createdBy()),
              turn.service().project(),
              spec.preferring(order),
              replica.key(state.id()));
      order.stream().findFirst().ifPresent(first -> others.merge(first, 1, Integer::sum));
      return replica.submitted(job);
    } catch (Refusal refused) {
      return replica.refused(String.valueOf(refused.getMessage()), turn.now());
    }
  }

  private static Actor actor(ServiceState state, String name) {
    return new Actor(state.tenant(), name, Role.TENANT_MEMBER);
  }
}
