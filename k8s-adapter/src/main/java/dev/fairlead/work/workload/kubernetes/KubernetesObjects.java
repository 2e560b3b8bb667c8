package dev.fairlead.work.workload.kubernetes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.kubernetes.call.ByName;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.kind.InPlace;
import dev.fairlead.work.workload.kubernetes.kind.KindForm;
import dev.fairlead.work.workload.kubernetes.kind.KindObject;
import io.fabric8.kubernetes.api.model.APIResourceList;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

record KubernetesObjects(
    AttemptTerminator anchors, ClusterCalls calls, Supplier<KubernetesClient> client)
    implements ObjectCalls {
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
  private static final Set<String> ENDED = Set.of("Succeeded", "Failed");
  private static final int PAGE = 500;
  private static final String ADMISSION = "admissionregistration.k8s.io";
  private static final String ADMISSION_VERSION = "v1";

  /** Policy and binding of {@code deploy/cluster-front-nodes.yaml}, by plural. */
  private static final Map<String, String> PLACEMENT =
      Map.of(
          "mutatingadmissionpolicies", "MutatingAdmissionPolicy",
          "mutatingadmissionpolicybindings", "MutatingAdmissionPolicyBinding");

  private static final String PLACEMENT_NAME = "fairlead-front-nodes";

  /**
   * Starts and stops the objects of the cluster.
   *
   * @param listener called after members changed
   */
  static InPlaceObjects inPlace(
      Installation installation,
      InPlaceIndex index,
      AttemptTerminator anchors,
      ClusterCalls calls,
      Supplier<KubernetesClient> client,
      Runnable listener) {
    return new InPlaceObjects(
        installation,
        index,
        new KubernetesObjects(anchors, calls, client),
        task -> Thread.ofVirtual().name("in-place-ends").start(task),
        listener);
  }

  @Override
  public @Nullable GenericKubernetesResource read(InPlace object) {
    GenericKubernetesResource is =
        calls.read(() ->
            ByName.find(
                KindForm.named(object.kind(), client.get(), object.namespace(), object.name())));
    return is != null && object.uid().equals(is.getMetadata().getUid()) ? is : null;
  }

  @Override
  public @Nullable GenericKubernetesResource made(InPlace object, GenericKubernetesResource is) {
    return KindForm.made(object.kind(), is, calls, client.get());
  }

  /** Without the manifest, the cluster lacks the objects or the right to read them. */
  @Override
  public boolean placesPods() {
    KubernetesClient connection = client.get();
    APIResourceList served =
        calls.read(() -> connection.getApiResources(ADMISSION + "/" + ADMISSION_VERSION));
    try {
      return PLACEMENT.entrySet().stream()
          .allMatch(one ->
              served != null
                  && served.getResources().stream().anyMatch(r -> one.getKey().equals(r.getName()))
                  && calls.read(() -> ByName.find(placement(connection, one))) != null);
    } catch (CallFailure failure) {
      if (failure.missingRight()) {
        return false;
      }
      throw failure;
    }
  }

  private static Resource<GenericKubernetesResource> placement(
      KubernetesClient connection, Map.Entry<String, String> kind) {
    ResourceDefinitionContext context =
        new ResourceDefinitionContext.Builder()
            .withGroup(ADMISSION)
            .withVersion(ADMISSION_VERSION)
            .withKind(kind.getValue())
            .withPlural(kind.getKey())
            .withNamespaced(false)
            .build();
    return connection.genericKubernetesResources(context).withName(PLACEMENT_NAME);
  }

  @Override
  public ActionOutcome patch(InPlace object, ObjectNode patch) {
    KubernetesClient connection = client.get();
    try {
      GenericKubernetesResource _ =
          calls.write(() ->
              KindForm.named(object.kind(), connection, object.namespace(), object.name())
                  .patch(MERGE, patch.toString()));
      return new ActionOutcome.Done(Collections.emptySortedSet());
    } catch (CallFailure failure) {
      String message = object.text() + ": " + failure.getMessage();
      if (failure.effect() != CallFailure.Effect.REFUSED
          || failure.conflict()
          || failure.notFound()) {
        return new ActionOutcome.Unavailable(message);
      }
      return failure.refusedForNow()
          ? new ActionOutcome.Refused(ActionOutcome.Why.NOT_NOW, message + "; " + FrontJobs.RIGHTS)
          : new ActionOutcome.Refused(
              failure.denied() ? ActionOutcome.Why.DENIED : ActionOutcome.Why.INVALID, message);
    }
  }

  @Override
  public boolean runs(InPlace object) {
    List<Pod> pods =
        calls.read(() ->
            client
                .get()
                .pods()
                .inNamespace(object.namespace())
                .withLabel(KindObject.RESERVED, object.attempt().bare())
                .withoutField("status.phase", "Succeeded")
                .withoutField("status.phase", "Failed")
                .list(new ListOptionsBuilder().withLimit((long) PAGE).build())
                .getItems());
    return pods.stream()
        .anyMatch(pod ->
            pod.getStatus() == null || !ENDED.contains(String.valueOf(pod.getStatus().getPhase())));
  }

  @Override
  public ActionOutcome retire(WorkloadAction.Retire anchor) {
    return anchors.retire(client.get(), anchor);
  }
}
