package dev.fairlead.work.workload.kubernetes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.kubernetes.kind.InPlace;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import org.jspecify.annotations.Nullable;

/**
 * Calls of a cluster for objects in place. Each throws {@link
 * dev.fairlead.work.workload.kubernetes.call.CallFailure} if the cluster does not answer.
 */
interface ObjectCalls {
  /** The object with its UID, null if none. */
  @Nullable GenericKubernetesResource read(InPlace object);

  /** The object that its controller has made of it, null if none. */
  @Nullable GenericKubernetesResource made(InPlace object, GenericKubernetesResource is);

  /**
   * Returns whether the cluster makes node affinities of the annotations in pods of annotated
   * kinds.
   */
  boolean placesPods();

  /** Changes the object by a merge patch. */
  ActionOutcome patch(InPlace object, ObjectNode patch);

  /** Returns whether a pod of the attempt has not ended. */
  boolean runs(InPlace object);

  /** Removes the anchor of an attempt. */
  ActionOutcome retire(WorkloadAction.Retire anchor);
}
