package dev.fairlead.work.serving;

import dev.fairlead.kernel.identity.JobId;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a gateway shows of a version.
 *
 * @param count requests since the gateway began to count
 * @param ready jobs of the replicas that take requests
 */
public record ServiceTraffic(
    ModelServiceId service, int version, TrafficCount count, SortedSet<JobId> ready) {
  public ServiceTraffic {
    ready = Collections.unmodifiableSortedSet(new TreeSet<>(ready));
  }

  /** One row for each version: the counts of all clusters added up, and their ready replicas. */
  public static List<ServiceTraffic> summed(List<ServiceTraffic> ofClusters) {
    SortedMap<Integer, ServiceTraffic> sums = new TreeMap<>();
    for (ServiceTraffic each : ofClusters) {
      ServiceTraffic _ = sums.merge(each.version(), each, ServiceTraffic::plus);
    }
    return List.copyOf(sums.values());
  }

  private ServiceTraffic plus(ServiceTraffic other) {
    SortedSet<JobId> both = new TreeSet<>(ready);
    both.addAll(other.ready());
    return new ServiceTraffic(service, version, count.plus(other.count()), both);
  }
}
