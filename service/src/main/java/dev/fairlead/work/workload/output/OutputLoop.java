package dev.fairlead.work.workload.output;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.loop.LoopThreads;
import dev.fairlead.kernel.problem.FatalErrors;
import dev.fairlead.work.log.ChunkStore;
import dev.fairlead.work.workload.service.ClusterConnections;
import dev.fairlead.work.workload.service.SupervisorFleet;
import dev.fairlead.work.workload.service.pass.OutputStatus;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Collects the output of members once a second, on every cluster that this process supervises. Each
 * cluster has a separate round, so that a hanging cluster does not delay others.
 */
@Component
public class OutputLoop implements Loop {
  private static final Logger LOG = LoggerFactory.getLogger(OutputLoop.class);
  private static final Duration EVERY = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofSeconds(30);
  private static final int PARALLEL_PER_CLUSTER = 8;
  private final SupervisorFleet fleet;
  private final ClusterConnections gateways;
  private final LogRepository repository;
  private final ChunkStore store;
  private final OutputStatus gate;
  private final LogSettings settings;
  private final Leases leases;
  private final MeterRegistry metrics;
  private final Map<String, LogMeters> meters = new TreeMap<>();
  private final Map<ClusterId, Running> running = new TreeMap<>();

  OutputLoop(
      SupervisorFleet fleet,
      ClusterConnections gateways,
      LogRepository repository,
      ChunkStore store,
      LogSettings settings,
      Leases leases,
      MeterRegistry metrics) {
    this.fleet = fleet;
    this.gateways = gateways;
    this.repository = repository;
    this.store = store;
    this.gate = gateways.output();
    this.settings = settings;
    this.leases = leases;
    this.metrics = metrics;
    if (store.keeps()) {
      gate.open();
    }
  }

  /** A cluster under one lease. */
  private static final class Running {
    private final OutputCollector collector;
    private final ExecutorService workers;
    private Future<?> round;

    Running(OutputCollector collector, ExecutorService workers, Future<?> round) {
      this.collector = collector;
      this.workers = workers;
      this.round = round;
    }

    void end() {
      workers.shutdownNow();
      collector.end();
    }
  }

  @Override
  public String name() {
    return "output";
  }

  @Override
  public String role() {
    return "supervisor";
  }

  @Override
  public Duration idle() {
    return EVERY;
  }

  /** Returns zero, because the pass itself waits for {@link #idle}. */
  @Override
  public Duration rest() {
    return Duration.ZERO;
  }

  @Override
  public boolean tick() {
    if (!store.keeps()) {
      return false;
    }
    SortedMap<ClusterId, HeldLease> held = fleet.leases();
    running
        .entrySet()
        .removeIf(entry -> {
          HeldLease lease = held.get(entry.getKey());
          boolean over =
              lease == null || lease.epoch() != entry.getValue().collector.lease().epoch();
          if (over) {
            entry.getValue().end();
          }
          return over;
        });
    held.forEach(this::round);
    return false;
  }

  private void round(ClusterId cluster, HeldLease lease) {
    Running now = running.computeIfAbsent(cluster, id -> begin(id, lease));
    if (now.round.isDone()) {
      now.round = now.workers.submit(() -> round(cluster, now.collector));
    }
  }

  private Running begin(ClusterId cluster, HeldLease lease) {
    /* One more thread runs the round itself. */
    ExecutorService workers =
        Executors.newFixedThreadPool(PARALLEL_PER_CLUSTER + 1, LoopThreads.workers("output-"));
    OutputCollector collector =
        new OutputCollector(
            new OutputCollector.HeldCluster(cluster, lease),
            repository,
            settings,
            gate,
            new Reads(workers, LONGEST),
            leases.clock(),
            meters.computeIfAbsent(lease.name(), name -> new LogMeters(metrics, name)));
    return new Running(collector, workers, CompletableFuture.completedFuture(true));
  }

  private void round(ClusterId cluster, OutputCollector collector) {
    try {
      gateways.of(cluster).ifPresent(collector::round);
    } catch (RuntimeException | Error failed) {
      FatalErrors.rethrow(failed);
      LOG.warn("output of cluster {} was not collected: {}", cluster.text(), failed.toString());
    }
  }

  @Override
  public void close() {
    running.values().forEach(Running::end);
    running.clear();
  }
}
