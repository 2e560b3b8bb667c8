package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.VolumeOrder;
import dev.fairlead.work.workload.VolumeOutcome;
import dev.fairlead.work.workload.kubernetes.call.ByName;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.namespace.ClusterOfferings;
import dev.fairlead.work.workload.kubernetes.namespace.EpochFence;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Creates the claims of volumes, one each. Fairlead never deletes a claim, because that would
 * delete its data.
 */
final class VolumeClaims {
  private static final String STORAGE = "storage";

  private static final String NO_RIGHT =
      "the nodes that reach it are unknown, so its jobs may be placed on other nodes: an operator"
          + " grants Fairlead the permission that fairlead doctor (volumes) names";

  private final ClusterCalls calls;
  private final Namespaces namespaces;
  private final EpochFence fence;
  private final ObjectCreator creator;
  private final ClusterOfferings survey;

  VolumeClaims(
      ClusterCalls calls,
      Namespaces namespaces,
      EpochFence fence,
      ObjectCreator creator,
      ClusterOfferings survey) {
    this.calls = calls;
    this.namespaces = namespaces;
    this.fence = fence;
    this.creator = creator;
    this.survey = survey;
  }

  /**
   * @throws CallFailure if the cluster does not answer
   */
  VolumeOutcome provide(KubernetesClient client, VolumeOrder order) {
    String uid = order.volume().claimUid();
    return uid == null
        ? ifOurs(client, order, () -> create(client, order))
        : seen(client, order, uid);
  }

  private VolumeOutcome ifOurs(
      KubernetesClient client, VolumeOrder order, Supplier<VolumeOutcome> outcome) {
    return switch (fence.check(client, order.epoch())) {
      case EpochClaim.Ours ours -> outcome.get();
      case EpochClaim.Higher(long epoch) -> new VolumeOutcome.Not(new ActionOutcome.Deposed(epoch));
      case EpochClaim.Ahead ahead -> away("the cluster has seen a later state of the database");
      case EpochClaim.Unknown(String message) -> away(message);
    };
  }

  private static VolumeOutcome away(String message) {
    return new VolumeOutcome.Not(new ActionOutcome.Unavailable(message));
  }

  private VolumeOutcome create(KubernetesClient client, VolumeOrder order) {
    String namespace = order.project().namespace();
    String foreign = namespaces.ensure(client, namespace, order.project().id());
    if (foreign != null) {
      return new VolumeOutcome.Not(new ActionOutcome.Refused(ActionOutcome.Why.NOT_NOW, foreign));
    }
    return switch (creator.create(client, claim(order))) {
      case Creation.Ours<PersistentVolumeClaim> ours -> there(client, order, ours.object());
      case Creation.Not<PersistentVolumeClaim> not -> new VolumeOutcome.Not(not.why());
    };
  }

  private VolumeOutcome seen(KubernetesClient client, VolumeOrder order, String uid) {
    String namespace = order.project().namespace();
    String name = order.volume().claimName();
    String what = "PersistentVolumeClaim " + namespace + "/" + name;
    PersistentVolumeClaim claim =
        calls.read(() ->
            ByName.find(client.persistentVolumeClaims().inNamespace(namespace).withName(name)));
    String lost = lost(claim, uid);
    return claim == null || lost != null
        ? ifOurs(client, order, () -> new VolumeOutcome.Lost(what + " " + lost))
        : there(client, order, claim);
  }

  private static @Nullable String lost(@Nullable PersistentVolumeClaim claim, String uid) {
    if (claim == null) {
      return "no longer exists, and Fairlead did not delete it";
    }
    if (!uid.equals(claim.getMetadata().getUid())) {
      return "is not the claim that Fairlead created, and has other data";
    }
    if (claim.getMetadata().getDeletionTimestamp() != null) {
      return "is being deleted, but not by Fairlead";
    }
    return "Lost".equals(phase(claim)) ? "has lost its bound volume" : null;
  }

  private VolumeOutcome there(
      KubernetesClient client, VolumeOrder order, PersistentVolumeClaim claim) {
    if ("Bound".equals(phase(claim))) {
      return bound(client, order.volume(), claim);
    }
    return new VolumeOutcome.There(
        claim.getMetadata().getUid(),
        false,
        Collections.emptySortedMap(),
        unbound(claim.getSpec().getStorageClassName(), survey.findings().storageClasses()));
  }

  /**
   * Explains why the claim is not bound.
   *
   * @param there storage classes of the cluster, empty if unknown
   */
  static String unbound(@Nullable String asked, List<String> there) {
    if (asked == null) {
      return "not bound yet, default storage class of the cluster";
    }
    return there.isEmpty() || there.contains(asked)
        ? "not bound yet, storage class " + asked
        : ("not bound: the cluster has no storage class %s. Ask an operator to create it, or"
                + " delete the volume and claim it with another class.")
            .formatted(asked);
  }

  /** Retains the known node labels if the cluster forbids Fairlead to read more. */
  private VolumeOutcome bound(KubernetesClient client, Volume known, PersistentVolumeClaim claim) {
    String uid = claim.getMetadata().getUid();
    String name = claim.getSpec().getVolumeName();
    try {
      PersistentVolume volume =
          name == null
              ? null
              : calls.read(() -> ByName.find(client.persistentVolumes().withName(name)));
      if (volume == null) {
        return new VolumeOutcome.There(uid, true, known.nodeLabels(), known.message());
      }
      ReachingNodes reaching = ReachingNodes.of(volume);
      return new VolumeOutcome.There(uid, true, reaching.labels(), beyond(name, reaching));
    } catch (CallFailure failure) {
      if (failure.missingRight()) {
        return new VolumeOutcome.There(uid, true, known.nodeLabels(), NO_RIGHT);
      }
      throw failure;
    }
  }

  private static @Nullable String beyond(String name, ReachingNodes reaching) {
    return reaching.beyond() == null
        ? null
        : ("PersistentVolume %s is reached from nodes with %s alone, and jobs are placed by"
                + " nodeLabels. Name a label of such nodes in placement.nodeLabels.")
            .formatted(name, reaching.beyond());
  }

  private static @Nullable String phase(PersistentVolumeClaim claim) {
    return claim.getStatus() == null ? null : claim.getStatus().getPhase();
  }

  static PersistentVolumeClaim claim(VolumeOrder order) {
    Volume volume = order.volume();
    return new PersistentVolumeClaimBuilder()
        .withNewMetadata()
        .withName(volume.claimName())
        .withNamespace(order.project().namespace())
        .withLabels(ObjectLabels.of(order))
        .endMetadata()
        .withNewSpec()
        .withAccessModes(volume.request().access().text())
        .withStorageClassName(volume.request().storageClass())
        .withNewResources()
        .addToRequests(STORAGE, new Quantity(volume.request().sizeGib() + "Gi"))
        .endResources()
        .endSpec()
        .build();
  }
}
