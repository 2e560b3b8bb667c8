package dev.fairlead.workload.kubernetes;

import dev.fairlead.job.AttemptId;
import dev.fairlead.job.MemberKey;
import dev.fairlead.job.ObjectNames;
import dev.fairlead.lease.Installation;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks up pods by name that the watch stopped to show without a deletion: it shows pods by their
 * labels, which may have been changed. One that is still there gets its labels back, and counts as
 * seen meanwhile.
 */
final class VanishedPods {
  /** Look-ups under way; more pods that vanish at once are gone, as when a namespace is removed. */
  static final int MOST = 256;

  /** What takes labels away more often wins: it would cost two requests each time, for ever. */
  static final int MOST_RESTORED = 5;

  private static final int REMEMBERED = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(VanishedPods.class);
  private final Installation installation;
  private final ClusterCalls calls;
  private final Executor executor;
  private final LabelRepair labels;
  private final Semaphore room = new Semaphore(MOST);

  /** How often a pod got its labels back, of the last pods that did. */
  private final Map<String, Integer> restored =
      Collections.synchronizedMap(
          new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
              return size() > REMEMBERED;
            }
          });

  private volatile @Nullable KubernetesClient client;

  /**
   * @param executor runs look-ups beside the watch, which must not wait
   */
  VanishedPods(Installation installation, ClusterCalls calls, Executor executor) {
    this.installation = installation;
    this.calls = calls;
    this.executor = executor;
    labels = new LabelRepair(calls);
  }

  /** Look-ups go through the connection of the watches. */
  void through(KubernetesClient connection) {
    client = connection;
  }

  /**
   * Returns at once.
   *
   * @param gone run when the pod is not there, cannot be looked up, or does not keep its labels
   */
  void look(String namespace, AttemptId attempt, MemberKey key, String uid, Runnable gone) {
    KubernetesClient connection = client;
    if (connection == null || !room.tryAcquire()) {
      gone.run();
      return;
    }
    executor.execute(() -> {
      try {
        if (!shownAgain(connection, namespace, attempt, key, uid)) {
          gone.run();
        }
      } finally {
        room.release();
      }
    });
  }

  private boolean shownAgain(
      KubernetesClient connection, String namespace, AttemptId attempt, MemberKey key, String uid) {
    String name = ObjectNames.pod(attempt, key);
    try {
      Pod pod = calls.read(() -> connection.pods().inNamespace(namespace).withName(name).get());
      if (pod == null || !uid.equals(pod.getMetadata().getUid()) || !LabelRepair.tracked(pod)) {
        return false;
      }
      if (restored.merge(uid, 1, Integer::sum) > MOST_RESTORED) {
        LOG.warn("pod {}/{} loses its labels again and again: it is not watched", namespace, name);
        return false;
      }
      Pod now = labels.restored(connection, pod, ObjectLabels.of(installation, attempt, key));
      return ObjectLabels.belongsTo(now, installation, attempt);
    } catch (CallFailure untold) {
      LOG.debug("pod {}/{} vanished and cannot be looked up", namespace, name, untold);
      return false;
    }
  }
}
