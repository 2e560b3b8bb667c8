package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.MemberKey;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ObservedMember;
import dev.fairlead.work.workload.ObservedWorkload;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.kubernetes.call.ByName;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Asks attempts to save their work, by an annotation that their pods read as a file. */
final class CheckpointMarks {
  /** As many reads of one attempt do not hold up the others of a turn. */
  private static final int MOST_READS = 128;

  /** A pod that changes between so many reads and patches is tried again in a later turn. */
  private static final int MOST_TRIES = 3;

  private static final int MOST_UNDER_WAY = 1_000;
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  private final ClusterView view;
  private final ClusterCalls calls;

  /** Members that read until when they may save; another time is another mark. */
  private record Marks(Instant until, Set<MemberKey> members) {}

  /** Of attempts that are being asked. */
  private final Recent<AttemptId, Marks> marked = new Recent<>(MOST_UNDER_WAY);

  CheckpointMarks(ClusterView view, ClusterCalls calls) {
    this.view = view;
    this.calls = calls;
  }

  /**
   * Marks pods that are seen and have not ended, those that still start as well: they read it as
   * soon as they run. A bounded number in each call; the next one goes on with the others, and a
   * member that cannot be marked holds back none.
   *
   * @throws CallFailure when a call was not answered
   */
  ActionOutcome ask(KubernetesClient client, WorkloadAction.Ask ask) {
    ObservedWorkload seen = view.workloads().workload(ask.attempt());
    Set<MemberKey> done = marks(ask);
    String waits = null;
    CallFailure failed = null;
    int reads = 0;
    for (MemberKey key : ask.members()) {
      ObservedMember member = seen.member(key).orElse(null);
      if (member == null || !Ending.living(member) || done.contains(key)) {
        continue;
      }
      if (reads++ >= MOST_READS) {
        waits = "more than " + MOST_READS + " members are still to be marked";
        break;
      }
      try {
        if (marked(client, ask, key, member.uid())) {
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
    marked.forget(ask.attempt());
    return new ActionOutcome.Done(Collections.emptySortedSet());
  }

  private Set<MemberKey> marks(WorkloadAction.Ask ask) {
    return marked
        .merge(
            ask.attempt(),
            new Marks(ask.until(), ConcurrentHashMap.newKeySet()),
            (before, none) -> before.until().equals(ask.until()) ? before : none)
        .members();
  }

  /**
   * The mark is put on the pod as it was read alone: with one that comes after the end of its
   * container, work that is done would be done again. False when the pod changed meanwhile.
   */
  private boolean marked(
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
        && PodObservations.of(pod).filter(Ending::living).isPresent();
  }
}
