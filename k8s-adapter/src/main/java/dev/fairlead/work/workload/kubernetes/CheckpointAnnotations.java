package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.kubernetes.call.BoundedLru;
import dev.fairlead.work.workload.kubernetes.call.ByName;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.pod.PodObservations;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Requests checkpoints from attempts by an annotation that their pods read as a file. */
final class CheckpointAnnotations {
  /** Limits the reads for one attempt, so that it does not delay the others of a pass. */
  private static final int MOST_READS = 128;

  /** Number of tries for a pod that changes between read and patch. Later passes continue. */
  private static final int MOST_TRIES = 3;

  private static final int MOST_UNDER_WAY = 1_000;
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  private final ClusterView view;
  private final ClusterCalls calls;

  /** Members that have received this deadline. Another deadline needs another annotation. */
  private record Asked(Instant until, Set<MemberKey> members) {}

  /** Attempts with a checkpoint request. */
  private final BoundedLru<AttemptId, Asked> asked = new BoundedLru<>(MOST_UNDER_WAY);

  CheckpointAnnotations(ClusterView view, ClusterCalls calls) {
    this.view = view;
    this.calls = calls;
  }

  /**
   * Annotates the visible pods that have not ended. Pods that are still starting are included,
   * because they read the annotation as soon as they run. Each call annotates a bounded number of
   * pods, and the next call continues with the others. A pod that cannot be annotated does not
   * delay the others.
   *
   * @throws CallFailure if a call was not answered
   */
  ActionOutcome ask(KubernetesClient client, WorkloadAction.Ask ask) {
    ObservedWorkload seen = view.workloads().workload(ask.attempt());
    Set<MemberKey> done = members(ask);
    String waits = null;
    CallFailure failed = null;
    int reads = 0;
    for (MemberKey key : ask.members()) {
      ObservedMember member = seen.member(key).orElse(null);
      if (member == null || !AttemptTerminator.living(member) || done.contains(key)) {
        continue;
      }
      if (reads++ >= MOST_READS) {
        waits = "more than " + MOST_READS + " members are still to be annotated";
        break;
      }
      try {
        if (asked(client, ask, key, member.uid())) {
          done.add(key);
        } else {
          waits = "the status of " + key.text() + " changes";
        }
      } catch (CallFailure failure) {
        failed = failure;
        if (failure.effect() == CallFailure.Effect.NOT_SENT) {
          break;
        }
      }
    }
    if (failed != null) {
      throw failed;
    }
    if (waits != null) {
      return new ActionOutcome.Unavailable(waits);
    }
    asked.forget(ask.attempt());
    return new ActionOutcome.Done(Collections.emptySortedSet());
  }

  private Set<MemberKey> members(WorkloadAction.Ask ask) {
    return asked
        .merge(
            ask.attempt(),
            new Asked(ask.until(), ConcurrentHashMap.newKeySet()),
            (before, none) -> before.until().equals(ask.until()) ? before : none)
        .members();
  }

  /**
   * Annotates the pod only in the version that was read. After the end of its container an
   * annotation would cause completed work to be repeated. Returns false if the pod has changed
   * since.
   */
  private boolean asked(
      KubernetesClient client, WorkloadAction.Ask ask, MemberKey key, String uid) {
    var pods =
        client.pods().inNamespace(ask.namespace()).withName(ObjectNames.pod(ask.attempt(), key));
    for (int i = 0; i < MOST_TRIES; i++) {
      Pod pod = calls.read(() -> ByName.find(pods));
      if (pod == null || !mayRead(pod, uid)) {
        return true;
      }
      Map<String, String> annotations = pod.getMetadata().getAnnotations();
      if (annotations != null
          && ask.until().toString().equals(annotations.get(ObjectNames.CHECKPOINT))) {
        return true;
      }
      String patch =
          "{\"metadata\":{\"resourceVersion\":\"%s\",\"annotations\":{\"%s\":\"%s\"}}}"
              .formatted(
                  pod.getMetadata().getResourceVersion(), ObjectNames.CHECKPOINT, ask.until());
      try {
        calls.write(() -> client.pods().resource(pod).patch(MERGE, patch));
        return true;
      } catch (CallFailure failure) {
        if (!failure.notFound() && !failure.conflict()) {
          throw failure;
        }
      }
    }
    return false;
  }

  private static boolean mayRead(Pod pod, String uid) {
    return uid.equals(pod.getMetadata().getUid())
        && pod.getMetadata().getDeletionTimestamp() == null
        && PodObservations.of(pod).filter(AttemptTerminator::living).isPresent();
  }
}
