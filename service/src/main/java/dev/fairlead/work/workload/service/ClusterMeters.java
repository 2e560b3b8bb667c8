package dev.fairlead.work.workload.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.NodeNotice;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.meter.GaugeRows;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.work.workload.service.contact.NoticeCount;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Publishes metrics of each cluster by its name. Silence and passes are reported only by the
 * process that supervises the cluster.
 */
final class ClusterMeters {
  private final GaugeRows info;
  private final GaugeRows state;
  private final GaugeRows silence;
  private final GaugeRows tokens;
  private final GaugeRows certificates;
  private final GaugeRows passes;
  private final GaugeRows notices;
  private final GaugeRows overdue;

  ClusterMeters(MeterRegistry metrics) {
    info = new GaugeRows(metrics, Metric.CLUSTER_INFO);
    state = new GaugeRows(metrics, Metric.CLUSTER_STATE);
    silence = new GaugeRows(metrics, Metric.CLUSTER_SILENCE);
    tokens = new GaugeRows(metrics, Metric.CLUSTER_TOKEN_LEFT);
    certificates = new GaugeRows(metrics, Metric.CLUSTER_CERTIFICATE_LEFT);
    passes = new GaugeRows(metrics, Metric.CLUSTER_PASS_AGE);
    notices = new GaugeRows(metrics, Metric.NODE_NOTICES);
    overdue = new GaugeRows(metrics, Metric.NODE_NOTICES_OVERDUE);
  }

  /**
   * Values of a supervisor at a scrape.
   *
   * @param silence empty while another process acts on the cluster
   * @param token remaining life of the token. Empty like {@code silence}, and for other credentials
   * @param certificate remaining life of the certificate. Empty like {@code token}
   */
  record Seen(
      Supplier<Optional<Duration>> silence,
      Supplier<Optional<Duration>> token,
      Supplier<Optional<Duration>> certificate,
      Supplier<Duration> sincePass,
      Supplier<NoticeCount> notices) {
    double silent() {
      return orNothing(silence);
    }

    double tokenLeft() {
      return orNothing(token);
    }

    double certificateLeft() {
      return orNothing(certificate);
    }

    private static double orNothing(Supplier<Optional<Duration>> time) {
      return time.get().map(ClusterMeters::seconds).orElse(Double.NaN);
    }
  }

  /** Replaces the known clusters. */
  void show(List<Cluster> clusters, Function<ClusterId, Optional<Seen>> supervisors) {
    Map<List<String>, DoubleSupplier> infos = new HashMap<>();
    Map<List<String>, DoubleSupplier> states = new HashMap<>();
    Map<List<String>, DoubleSupplier> silences = new HashMap<>();
    Map<List<String>, DoubleSupplier> lefts = new HashMap<>();
    Map<List<String>, DoubleSupplier> ends = new HashMap<>();
    Map<List<String>, DoubleSupplier> ages = new HashMap<>();
    Map<List<String>, DoubleSupplier> noticed = new HashMap<>();
    Map<List<String>, DoubleSupplier> late = new HashMap<>();
    for (Cluster cluster : clusters) {
      String id = cluster.id().bare();
      String lease = ClusterSupervisor.lease(cluster.id());
      infos.put(List.of(cluster.name(), id, lease, ClusterSupervisor.name(cluster.id())), () -> 1);
      states.put(List.of(cluster.name(), cluster.state().name()), () -> 1);
      Seen seen = supervisors.apply(cluster.id()).orElse(null);
      if (seen != null && seen.silence().get().isPresent()) {
        silences.put(List.of(cluster.name()), seen::silent);
        if (seen.token().get().isPresent()) {
          lefts.put(List.of(cluster.name()), seen::tokenLeft);
        }
        if (seen.certificate().get().isPresent()) {
          ends.put(List.of(cluster.name()), seen::certificateLeft);
        }
        ages.put(List.of(cluster.name()), () -> seconds(seen.sincePass().get()));
        for (NodeNotice.Kind kind : NodeNotice.Kind.values()) {
          noticed.put(
              List.of(cluster.name(), kind.name()),
              () -> seen.notices().get().kinds().getOrDefault(kind, 0));
        }
        late.put(List.of(cluster.name()), () -> seen.notices().get().overdue());
      }
    }
    info.show(infos);
    state.show(states);
    silence.show(silences);
    tokens.show(lefts);
    certificates.show(ends);
    passes.show(ages);
    notices.show(noticed);
    overdue.show(late);
  }

  private static double seconds(Duration time) {
    return (double) time.toNanos() / TimeUnit.SECONDS.toNanos(1);
  }
}
