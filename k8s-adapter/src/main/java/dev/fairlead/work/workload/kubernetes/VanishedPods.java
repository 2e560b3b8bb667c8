package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.ObservedMember;
import dev.fairlead.work.workload.kubernetes.call.ByName;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.NextStep;
import dev.fairlead.work.workload.kubernetes.namespace.LabelRepair;
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
 * Looks up pods by name that the watch stopped to show: it shows pods by their labels, which may
 * have been changed. Only the cluster's answer that there is no such pod, or another one, says that
 * it is gone. Until then it is looked up again, and what was read of it counts as seen; one that is
 * there gets its labels back.
 */
final class VanishedPods implements AutoCloseable {
  /** Look-ups under way; launches and stops have the other calls of the cluster to themselves. */
  static final int AT_ONCE = 4;

  /** What takes labels away more often wins: it would cost a write each time, for ever. */
  static final int MOST_RESTORED = 5;

  /** Between two look-ups of a pod: this, and twice the time before, up to the longest. */
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

  /** How often a pod got its labels back, of the last pods that did. */
  private final Recent<String, Integer> restored = new Recent<>(REMEMBERED);

  /** UIDs of pods, each with what could not be done and was said in the log. */
  private final Recent<String, Boolean> told = new Recent<>(REMEMBERED);

  /** UIDs of pods that are not there any more: they never come back. */
  private final Recent<String, Boolean> gone = new Recent<>(MOST_GONE);

  private volatile @Nullable KubernetesClient client;
  private volatile boolean closed;

  /** Wants to know what became of a pod. */
  interface Asker {
    /** Whether it still wants to know: the watch may show the pod again. */
    boolean waits();

    void found(ObservedMember now);

    void gone();
  }

  /** Runs a task after a time. */
  @FunctionalInterface
  interface Clock {
    void after(Duration pause, Runnable task);
  }

  private record LookUp(VanishedPod pod, Asker asker, Duration pause) {}

  /**
   * @param executor runs look-ups beside the watch, which must not wait
   */
  VanishedPods(Installation installation, ClusterCalls calls, Executor executor, Clock clock) {
    this.installation = installation;
    this.calls = calls;
    this.executor = executor;
    this.clock = clock;
    labels = new LabelRepair(calls);
  }

  /** Look-ups go through the connection of the watches. */
  void through(KubernetesClient connection) {
    client = connection;
  }

  /** Whether the cluster said that the pod is gone. */
  boolean gone(String uid) {
    return gone.get(uid) != null;
  }

  /** Returns at once. The asker learns what is read of the pod, and at last that it is gone. */
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

  /** Whether the cluster said that the pod is gone. */
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
      failed(next, "cannot be looked up, so its attempt stays as it is", untold);
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
          "pod {}/{} loses its labels again and again: it is read once in {} s, not watched",
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
      failed(next, "is read by its name, but its labels cannot be put back", refused);
      return false;
    }
  }

  /** Said aloud once of each pod, when it has failed for so long that it is tried rarely. */
  private void failed(LookUp next, String what, RuntimeException why) {
    VanishedPod pod = next.pod();
    LOG.debug("pod {}/{} {}", pod.namespace(), pod.name(), what, why);
    boolean rare = next.pause().equals(LONGEST_PAUSE);
    if (rare && told.put(pod.uid() + " " + what, true) == null) {
      LOG.warn(
          "pod {}/{} of attempt {} is not shown and {}; it is tried once in {} s: {}",
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
