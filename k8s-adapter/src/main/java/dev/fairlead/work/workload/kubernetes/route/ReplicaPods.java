package dev.fairlead.work.workload.kubernetes.route;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.serving.ModelServiceId;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The pods of replicas that the watch of a cluster shows. */
public final class ReplicaPods {
  private final Map<String, ReplicaPod> byUid = new ConcurrentHashMap<>();
  private final AtomicLong changes = new AtomicLong();

  /** Number of changes of the pods that take requests. */
  long changes() {
    return changes.get();
  }

  /** Records that the watch shows one pod instead of the other, null if none. */
  public void changed(@Nullable ReplicaPod before, @Nullable ReplicaPod now) {
    if (before != null && (now == null || !now.uid().equals(before.uid()))) {
      byUid.remove(before.uid());
    }
    if (now != null) {
      byUid.put(now.uid(), now);
    }
    if ((before != null && before.ready()) != (now != null && now.ready())) {
      changes.incrementAndGet();
    }
  }

  /** Returns the namespace of the project of a service, empty without a pod of the service. */
  Optional<String> namespace(ModelServiceId service) {
    return byUid.values().stream()
        .filter(pod -> pod.service().equals(service))
        .map(ReplicaPod::namespace)
        .findFirst();
  }

  /** Returns those of the jobs whose pod takes requests. */
  SortedSet<JobId> ready(SortedSet<JobId> jobs) {
    SortedSet<JobId> ready = new TreeSet<>();
    for (ReplicaPod pod : byUid.values()) {
      if (pod.ready() && jobs.contains(pod.job())) {
        ready.add(pod.job());
      }
    }
    return ready;
  }
}
