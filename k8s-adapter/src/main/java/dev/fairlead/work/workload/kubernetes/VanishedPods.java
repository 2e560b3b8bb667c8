package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.kubernetes.call.BoundedLru;
import dev.fairlead.work.workload.kubernetes.call.ByName;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.NextStep;
import dev.fairlead.work.workload.kubernetes.namespace.LabelRepair;
import dev.fairlead.work.workload.kubernetes.pod.VanishedPod;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks up pods by name that the watch no longer shows. The watch selects pods by labels, which may
 * have been changed. Only the response of the cluster that the pod does not exist, or that another
 * pod has its name, proves its deletion. Until then lookups are repeated, and their results count
 * as observed. An existing pod gets its labels back.
 */
final class VanishedPods implements AutoCloseable {
  /**
   * Number of concurrent lookups. The cluster's other calls remain available for launches and
   * stops.
   */
  static final int AT_ONCE = 4;

  /** Number of restorations after which the labels stay removed, because each one costs a write. */
  static final int MOST_RESTORED = 5;

  /** Pause after the first lookup of a pod, doubled each time up to the maximum. */
  static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

  static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

  private static final int REMEMBERED = 10_000;
  private static final int MOST_GONE = 50_000;

  private static final Logger LOG = LoggerFactory.getLogger(VanishedPods.class);
  private final Installation installation;
  private final ClusterCalls calls;
  private final Executor executor;
  private final Clock clock;
  private final LabelRepair labels;
  private final Queue<LookUp> waiting = new ConcurrentLinkedQueue<>();
  private final Semaphore room = new Semaphore(AT_ONCE);

  /** Number of label restorations, of the last pods that had any. */
  private final BoundedLru<String, Integer> restored = new BoundedLru<>(REMEMBERED);

  /** UIDs of pods, each with a failure that was already logged. */
  private final BoundedLru<String, Boolean> told = new BoundedLru<>(REMEMBERED);

  /** UIDs of pods that no longer exist and never return. */
  private final BoundedLru<String, Boolean> gone = new BoundedLru<>(MOST_GONE);

  private volatile @Nullable KubernetesClient client;
  private volatile boolean closed;

  /** A caller that needs the state of a pod. */
  interface Asker {
    /** Returns whether the state is still needed. The watch may show the pod again. */
    boolean waits();

    void found(ObservedMember now);

    void gone();
  }

  /** Schedules a task. */
  @FunctionalInterface
  interface Clock {
    void after(Duration pause, Runnable task);
  }

  private record LookUp(VanishedPod pod, Asker asker, Duration pause) {}

  /**
   * @param executor runs lookups separately from the watch, which must not wait
   */
  VanishedPods(Installation installation, ClusterCalls calls, Executor executor, Clock clock) {
    this.installation = installation;
    this.calls = calls;
    this.executor = executor;
    this.clock = clock;
    labels = new LabelRepair(calls);
  }

  /** Sets the connection for lookups, which the watches use too. */
  void through(KubernetesClient connection) {
    client = connection;
  }

  /** Returns whether the cluster reported that the pod was deleted. */
  boolean gone(String uid) {
    return gone.get(uid) != null;
  }

  /**
   * Starts a lookup and returns immediately. The caller receives each result, and finally the
   * absence of the pod.
   */
  void look(VanishedPod pod, Asker asker) {
    add(new LookUp(pod, asker, FIRST_PAUSE));
  }

  private void add(LookUp next) {
    waiting.add(next);
    work();
  }

  private void work() {
    if (room.tryAcquire()) {
      executor.execute(() -> {
        try {
          for (LookUp next = waiting.poll(); next != null; next = waiting.poll()) {
            look(next);
          }
        } finally {
          room.release();
        }
        if (!waiting.isEmpty()) {
          work();
        }
      });
    }
  }

  private void look(LookUp next) {
    if (closed || !next.asker().waits() || answered(next)) {
      return;
    }
    Duration doubled = next.pause().multipliedBy(2);
    Duration pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    clock.after(next.pause(), () -> add(new LookUp(next.pod(), next.asker(), pause)));
  }

  /** Returns whether the cluster reported that the pod was deleted. */
  private boolean answered(LookUp next) {
    KubernetesClient connection = client;
    VanishedPod pod = next.pod();
    if (connection == null) {
      return false;
    }
    try {
      Pod there =
          calls.read(() ->
              ByName.find(connection.pods().inNamespace(pod.namespace()).withName(pod.name())));
      Optional<ObservedMember> now =
          there == null ? Optional.empty() : pod.now(there, installation);
      if (now.isEmpty()) {
        gone.put(pod.uid(), true);
        next.asker().gone();
        return true;
      }
      next.asker().found(now.get());
      restore(connection, next, there);
    } catch (RuntimeException untold) {
      failed(next, "cannot be looked up, so its attempt remains unchanged", untold);
    }
    return false;
  }

  private void restore(KubernetesClient connection, LookUp next, Pod there) {
    VanishedPod pod = next.pod();
    Integer before = restored.get(pod.uid());
    int times = before == null ? 0 : before;
    if (times > MOST_RESTORED || !LabelRepair.tracked(there)) {
      return;
    }
    if (times == MOST_RESTORED) {
      LOG.warn(
          "pod {}/{} loses its labels repeatedly: it is read every {} s instead of watched",
          pod.namespace(),
          pod.name(),
          LONGEST_PAUSE.toSeconds());
    } else if (!patched(connection, next, there)) {
      return;
    }
    restored.put(pod.uid(), times + 1);
  }

  private boolean patched(KubernetesClient connection, LookUp next, Pod there) {
    try {
      labels.restored(connection, there, next.pod().labels(installation));
      return true;
    } catch (RuntimeException refused) {
      failed(next, "is read by name, but its labels cannot be restored", refused);
      return false;
    }
  }

  /** Logs a warning once for each pod, when it has failed for so long that lookups are rare. */
  private void failed(LookUp next, String what, RuntimeException why) {
    VanishedPod pod = next.pod();
    LOG.debug("pod {}/{} {}", pod.namespace(), pod.name(), what, why);
    boolean rare = next.pause().equals(LONGEST_PAUSE);
    if (rare && told.put(pod.uid() + " " + what, true) == null) {
      LOG.warn(
          "pod {}/{} of attempt {} is not shown and {}. Fairlead retries every {} s: {}",
          pod.namespace(),
          pod.name(),
          pod.attempt().text(),
          what,
          LONGEST_PAUSE.toSeconds(),
          why instanceof CallFailure failure ? NextStep.of(failure) : why.toString());
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
