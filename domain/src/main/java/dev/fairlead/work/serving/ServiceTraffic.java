package dev.fairlead.work.serving;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.serving.signal.Reading;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * State of a version on a gateway.
 *
 * @param count requests since the gateway began to count
 * @param countedAt time of the count, null while requests are not counted. For a sum, the oldest
 *     time of the clusters with ready replicas
 * @param ready jobs of the replicas that take requests
 * @param readings metrics of these replicas
 */
public record ServiceTraffic(
    ModelServiceId service,
    int version,
    TrafficCount count,
    @Nullable Instant countedAt,
    SortedSet<JobId> ready,
    List<Reading> readings) {
  /** A cluster that is silent for this long is ignored in {@link #countedAt} and the readings. */
  private static final Duration SILENT = Duration.ofMinutes(10);

  public ServiceTraffic {
    ready = Collections.unmodifiableSortedSet(new TreeSet<>(ready));
    readings = List.copyOf(readings);
  }

  /** Creates the traffic of a version as a gateway reports it. */
  public ServiceTraffic(
      ModelServiceId service,
      int version,
      TrafficCount count,
      @Nullable Instant countedAt,
      SortedSet<JobId> ready) {
    this(service, version, count, countedAt, ready, List.of());
  }

  /** Returns the traffic with metrics of its replicas. */
  public ServiceTraffic read(List<Reading> values) {
    return new ServiceTraffic(service, version, count, countedAt, ready, values);
  }

  /** The reading of this name, or null. */
  @Nullable Reading reading(String name) {
    return readings.stream().filter(each -> each.name().equals(name)).findFirst().orElse(null);
  }

  /** One row for each version: the counts of all clusters added up, and their ready replicas. */
  public static List<ServiceTraffic> summed(List<ServiceTraffic> ofClusters) {
    SortedMap<Integer, List<ServiceTraffic>> versions = new TreeMap<>();
    for (ServiceTraffic each : ofClusters) {
      versions.computeIfAbsent(each.version(), any -> new ArrayList<>()).add(each);
    }
    return versions.values().stream().map(ServiceTraffic::sum).toList();
  }

  private static ServiceTraffic sum(List<ServiceTraffic> rows) {
    TrafficCount count = TrafficCount.NONE;
    SortedSet<JobId> ready = new TreeSet<>();
    for (ServiceTraffic each : rows) {
      count = count.plus(each.count());
      ready.addAll(each.ready());
    }
    ServiceTraffic first = rows.getFirst();
    List<ServiceTraffic> serving = rows.stream().filter(row -> !row.ready.isEmpty()).toList();
    Optional<Instant> newest =
        serving.stream().flatMap(row -> row.seenAt().stream()).max(Comparator.naturalOrder());
    List<List<Reading>> readings =
        serving.stream().filter(row -> !row.silent(newest)).map(ServiceTraffic::readings).toList();
    return new ServiceTraffic(
        first.service,
        first.version,
        count,
        counted(rows),
        ready,
        readings.isEmpty() ? List.of() : Reading.combined(readings));
  }

  private Optional<Instant> seenAt() {
    return Stream.concat(
            Optional.ofNullable(countedAt).stream(), readings.stream().map(Reading::at))
        .max(Comparator.naturalOrder());
  }

  /** Returns whether this cluster reported nothing while another cluster did. */
  private boolean silent(Optional<Instant> newest) {
    return newest.isPresent()
        && seenAt().filter(at -> at.isBefore(newest.get().minus(SILENT))).isPresent();
  }

  /** The result is null if one of the clusters with ready replicas does not count. */
  private static @Nullable Instant counted(List<ServiceTraffic> rows) {
    List<ServiceTraffic> serving = rows.stream().filter(row -> !row.ready.isEmpty()).toList();
    List<Instant> times =
        serving.stream().flatMap(row -> Optional.ofNullable(row.countedAt).stream()).toList();
    if (times.isEmpty() || times.size() < serving.size()) {
      return null;
    }
    Instant newest = Collections.max(times);
    return times.stream()
        .filter(time -> !time.isBefore(newest.minus(SILENT)))
        .min(Comparator.naturalOrder())
        .orElseThrow();
  }
}
