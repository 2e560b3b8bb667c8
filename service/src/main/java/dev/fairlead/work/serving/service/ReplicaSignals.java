package dev.fairlead.work.serving.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.serving.LoadTarget;
import dev.fairlead.work.serving.ModelRuntime;
import dev.fairlead.work.serving.ModelRuntimes;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.Rollout;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceTraffic;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.ServingStore;
import dev.fairlead.work.serving.signal.Guard;
import dev.fairlead.work.serving.signal.Reading;
import dev.fairlead.work.serving.signal.Signal;
import dev.fairlead.work.serving.signal.SignalReader;
import dev.fairlead.work.spec.JobSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SequencedSet;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Reads the metrics of replicas that a load target or the guards of a rollout need, from the
 * Prometheus of their cluster. A version has a reading only if each ready replica has a value.
 */
@Component
public class ReplicaSignals {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaSignals.class);
  private static final Duration EVERY = Duration.ofSeconds(10);
  private static final Duration EVERY_WHILE_SILENT = Duration.ofSeconds(30);

  private final ServingStore services;
  private final JobStore jobs;
  private final InventoryStore inventory;
  private final SignalReader reader;
  private final Transactions transactions;
  private final Map<ClusterId, Last> last = new ConcurrentHashMap<>();

  public ReplicaSignals(
      ServingStore services,
      JobStore jobs,
      InventoryStore inventory,
      SignalReader reader,
      Transactions transactions) {
    this.services = services;
    this.jobs = jobs;
    this.inventory = inventory;
    this.reader = reader;
    this.transactions = transactions;
  }

  /**
   * The last answer of a Prometheus.
   *
   * @param jobs ready replicas of that time. A later ready replica causes another query
   * @param values by signal and job
   */
  private record Last(
      Instant at, SortedSet<JobId> jobs, Map<Signal, Map<JobId, Double>> values, String problem) {
    /** A Prometheus without any answer may have delayed the pass until its deadline. */
    Duration pause() {
      return !problem.isEmpty() && values.values().stream().allMatch(Map::isEmpty)
          ? EVERY_WHILE_SILENT
          : EVERY;
    }
  }

  /** A version with the signals to read, by the name of their reading. */
  private record Wanted(ServiceTraffic seen, SortedMap<String, Signal> signals) {}

  /** Returns the traffic with the metrics of its replicas. */
  List<ServiceTraffic> read(
      ClusterId cluster,
      List<ServiceTraffic> seen,
      List<ServiceState> states,
      Map<ModelServiceId, ModelService> settings) {
    Map<ModelServiceId, ServiceState> byId = new HashMap<>();
    states.forEach(state -> byId.put(state.id(), state));
    List<Wanted> wanted = new ArrayList<>();
    for (ServiceTraffic each : seen) {
      ServiceState state = byId.get(each.service());
      ModelService service = settings.get(each.service());
      wanted.add(
          new Wanted(
              each,
              state == null || service == null || each.ready().isEmpty()
                  ? new TreeMap<>()
                  : signals(service, state, each.version())));
    }
    if (wanted.stream().allMatch(each -> each.signals().isEmpty())) {
      last.remove(cluster);
      return seen;
    }
    Last answer = answer(cluster, wanted);
    return wanted.stream().map(each -> each.seen().read(readings(each, answer))).toList();
  }

  private SortedMap<String, Signal> signals(ModelService service, ServiceState state, int version) {
    SortedMap<String, Signal> signals = new TreeMap<>();
    LoadTarget rule = service.scale();
    if (rule != null && rule.metric().ofServers() != null && state.serves(version)) {
      services
          .version(state.tenant(), state.id(), version)
          .flatMap(of -> signal(rule.metric(), of.job()))
          .ifPresent(signal -> signals.put(rule.metric().name(), signal));
    }
    Rollout rollout = state.rollout();
    if (rollout != null && rollout.open() && rollout.target() == version) {
      for (Guard guard : service.guards()) {
        signals.put(guard.name(), guard.signal());
      }
    }
    return signals;
  }

  /** The metric of the runtime of a version, empty if its runtime has none. */
  static Optional<Signal> signal(LoadTarget.Metric metric, JobSpec job) {
    Signal.Function of = metric.ofServers();
    return Optional.ofNullable(job.annotations().get(ServiceVersion.RUNTIME))
        .flatMap(ModelRuntimes::find)
        .map(ModelRuntime::metrics)
        .flatMap(names -> Optional.ofNullable(names.get(metric.entry())))
        .flatMap(name -> of == null ? Optional.empty() : Optional.of(new Signal(of, name)));
  }

  private Last answer(ClusterId cluster, List<Wanted> wanted) {
    Instant now = jobs.now();
    SequencedSet<Signal> signals = ordered(wanted, now);
    SortedSet<JobId> ready = new TreeSet<>();
    for (Wanted each : wanted) {
      if (!each.signals().isEmpty()) {
        ready.addAll(each.seen().ready());
      }
    }
    Last before = last.get(cluster);
    if (before != null
        && before.values().keySet().containsAll(signals)
        && before.jobs().containsAll(ready)
        && Duration.between(before.at(), now).abs().compareTo(before.pause()) < 0) {
      return before;
    }
    Last next = asked(cluster, signals, ready, now);
    if (!next.problem().isEmpty() && (before == null || before.problem().isEmpty())) {
      LOG.warn("metrics of model servers of cluster {}: {}", cluster.text(), next.problem());
    }
    last.put(cluster, next);
    return next;
  }

  /**
   * Load targets first, because their metrics come from runtimes and are few. Guards follow in a
   * different order each time, so that slow guards of one tenant do not block others for long.
   */
  private static SequencedSet<Signal> ordered(List<Wanted> wanted, Instant now) {
    SortedSet<Signal> targets = new TreeSet<>();
    SortedSet<Signal> guards = new TreeSet<>();
    for (Wanted each : wanted) {
      each.signals()
          .forEach((name, signal) ->
              (name.equals(new Guard(signal, null, null).name()) ? guards : targets).add(signal));
    }
    List<Signal> shuffled = new ArrayList<>(guards);
    Collections.shuffle(shuffled, new Random(now.toEpochMilli()));
    SequencedSet<Signal> ordered = new LinkedHashSet<>(targets);
    ordered.addAll(shuffled);
    return ordered;
  }

  private Last asked(
      ClusterId cluster, SequencedSet<Signal> signals, SortedSet<JobId> ready, Instant now) {
    Prometheus prometheus =
        transactions
            .read(() -> inventory.cluster(cluster))
            .map(Cluster::settings)
            .flatMap(settings -> Optional.ofNullable(settings.prometheus()))
            .orElse(null);
    SignalReader.Answer answer =
        prometheus == null
            ? new SignalReader.Answer(
                new TreeMap<>(), "set prometheus of its registration, so that they can be read")
            : reader.read(prometheus, signals);
    Map<AttemptId, JobId> attempts = new HashMap<>();
    if (!answer.values().isEmpty()) {
      transactions
          .readForAllTenants(() -> jobs.liveAttempts(ready))
          .forEach((Attempt attempt) -> attempts.put(attempt.id(), attempt.job()));
    }
    Map<Signal, Map<JobId, Double>> values = new HashMap<>();
    for (Signal signal : signals) {
      SortedMap<String, Double> pods = answer.values().getOrDefault(signal, new TreeMap<>());
      Map<JobId, List<Double>> byJob = new HashMap<>();
      pods.forEach((pod, value) ->
          ObjectNames.attemptOf(pod)
              .map(attempts::get)
              .ifPresent(job -> byJob.computeIfAbsent(job, any -> new ArrayList<>()).add(value)));
      Map<JobId, Double> combined = new HashMap<>();
      byJob.forEach((job, each) -> combined.put(job, signal.of().of(each)));
      values.put(signal, combined);
    }
    return new Last(now, ready, values, answer.problem());
  }

  private static List<Reading> readings(Wanted wanted, Last answer) {
    List<Reading> readings = new ArrayList<>();
    wanted
        .signals()
        .forEach((name, signal) -> {
          Map<JobId, Double> values = answer.values().getOrDefault(signal, Map.of());
          SortedSet<JobId> ready = wanted.seen().ready();
          if (values.keySet().containsAll(ready)) {
            List<Double> own =
                ready.stream()
                    .flatMap(job -> Optional.ofNullable(values.get(job)).stream())
                    .toList();
            readings.add(
                new Reading(name, signal.of(), signal.of().of(own), own.size(), answer.at()));
          }
        });
    return readings;
  }
}
