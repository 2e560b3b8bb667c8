package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.fleet.cluster.connection.PodGroupApi;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.kubernetes.call.ByName;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.InFlight;
import dev.fairlead.work.workload.kubernetes.call.NextStep;
import dev.fairlead.work.workload.kubernetes.namespace.ClusterOfferings;
import dev.fairlead.work.workload.kubernetes.namespace.EpochFence;
import dev.fairlead.work.workload.kubernetes.namespace.LabelRepair;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceQuotas;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.net.HttpURLConnection;
import java.util.Collections;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Creates objects once. A POST is never repeated: if its response is lost, the object is looked up,
 * and an existing object with the name is compared, not replaced.
 */
final class ObjectCreator {
  private static final ActionOutcome DONE = new ActionOutcome.Done(Collections.emptySortedSet());

  private final ClusterCalls calls;
  private final Namespaces namespaces;
  private final InFlight inFlight;
  private final ClusterOfferings survey;
  private final LabelRepair labels;

  ObjectCreator(
      ClusterCalls calls, Namespaces namespaces, ClusterOfferings survey, InFlight inFlight) {
    this.calls = calls;
    this.namespaces = namespaces;
    this.survey = survey;
    labels = new LabelRepair(calls);
    this.inFlight = inFlight;
  }

  <T extends HasMetadata> Creation<T> create(KubernetesClient client, T wanted) {
    String name = wanted.getMetadata().getNamespace() + "/" + wanted.getMetadata().getName();
    Long earlier = inFlight.sending(name);
    try {
      T created = calls.write(() -> client.resource(wanted).create());
      inFlight.resolved(name, earlier);
      return new Creation.Ours<>(labels.restored(client, created, wanted));
    } catch (CallFailure failure) {
      if (failure.effect() == CallFailure.Effect.UNKNOWN) {
        inFlight.unknown(name);
        return lookUp(client, wanted, earlier, failure);
      }
      inFlight.resolved(name, earlier);
      return failure.conflict()
          ? lookUp(client, wanted, earlier, failure)
          : new Creation.Not<>(outcome(client, wanted, failure));
    }
  }

  /** Creates the PodGroup of an attempt. Refuses it on a cluster without its definition. */
  ActionOutcome createGroup(KubernetesClient client, GenericKubernetesResource wanted) {
    String api = wanted.getApiVersion();
    try {
      if (!calls.read(() -> client.supports(api, wanted.getKind()))) {
        return new ActionOutcome.Refused(
            ActionOutcome.Why.NOT_NOW,
            PodGroupApi.named(api).map(PodGroupApi::absent).orElseThrow());
      }
    } catch (CallFailure failure) {
      return new ActionOutcome.Unavailable(String.valueOf(failure.getMessage()));
    }
    return switch (create(client, wanted)) {
      case Creation.Ours<?> there -> DONE;
      case Creation.Not<?> not -> not.why();
    };
  }

  /**
   * Creates the Secret of an attempt, which Fairlead has no right to read. An existing Secret under
   * the attempt's name belongs to the attempt. A Secret whose create arrives late is removed with
   * its owner.
   *
   * @param lacking why some of its values no longer exist. The Secret is then not created, and a
   *     dry run only checks whether it already exists.
   */
  ActionOutcome createSecret(KubernetesClient client, Secret wanted, Optional<String> lacking) {
    try {
      Secret _ = calls.write(() -> client.resource(wanted).dryRun(lacking.isPresent()).create());
      return lacking
          .<ActionOutcome>map(why -> new ActionOutcome.Refused(ActionOutcome.Why.INVALID, why))
          .orElse(DONE);
    } catch (CallFailure failure) {
      if (failure.conflict()) {
        return failure.alreadyExists()
            ? DONE
            : new ActionOutcome.Unavailable(String.valueOf(failure.getMessage()));
      }
      if (failure.tooLarge()) {
        return new ActionOutcome.Refused(
            ActionOutcome.Why.INVALID, String.valueOf(failure.getMessage()));
      }
      return failure.effect() == CallFailure.Effect.UNKNOWN
          ? new ActionOutcome.Unavailable(String.valueOf(failure.getMessage()))
          : outcome(client, wanted, failure);
    }
  }

  private <T extends HasMetadata> Creation<T> lookUp(
      KubernetesClient client, T wanted, @Nullable Long earlier, CallFailure why) {
    T there;
    try {
      there = calls.read(() -> ByName.find(client.resource(wanted)));
    } catch (CallFailure failure) {
      return new Creation.Not<>(
          new ActionOutcome.Unavailable(why.getMessage() + "; " + failure.getMessage()));
    }
    if (there == null) {
      return new Creation.Not<>(new ActionOutcome.Unavailable(String.valueOf(why.getMessage())));
    }
    String name = wanted.getMetadata().getNamespace() + "/" + wanted.getMetadata().getName();
    inFlight.resolved(name, earlier);
    return ObjectLabels.sameIdentity(there, wanted) || LabelRepair.tracked(there)
        ? new Creation.Ours<>(labels.restored(client, there, wanted))
        : new Creation.Not<>(
            new ActionOutcome.Refused(
                ActionOutcome.Why.NAME_TAKEN,
                wanted.getKind()
                    + " "
                    + name
                    + " exists but was not created by Fairlead. Nothing was changed"));
  }

  /**
   * Interprets a refusal. Objects that every pod needs may have been removed since they were
   * created, so they are checked again. A missing permission proves nothing about them.
   */
  private ActionOutcome outcome(KubernetesClient client, HasMetadata wanted, CallFailure failure) {
    String namespace = wanted.getMetadata().getNamespace();
    boolean forbidden = failure.code() == HttpURLConnection.HTTP_FORBIDDEN;
    if (failure.notFound() || forbidden && !failure.missingRight()) {
      namespaces.forget(namespace);
    }
    if (failure.missingPriorityClass()) {
      survey.doubt();
    }
    String what =
        wanted.getKind()
            + " "
            + wanted.getMetadata().getName()
            + ": "
            + NextStep.ofCreate(failure, namespace);
    /* The next claim reports a deposed supervisor, and the next try creates other objects. */
    boolean repaired =
        failure.refusedBy(EpochFence.NAME)
            || failure.missingAccount()
            || failure.missingPriorityClass()
            || failure.refusedByQuota(NamespaceQuotas.NAME)
                && namespaces.quotas().refused(client, namespace);
    if (repaired || failure.effect() != CallFailure.Effect.REFUSED || failure.notFound()) {
      return new ActionOutcome.Unavailable(what);
    }
    ActionOutcome.Why why =
        failure.refusedForNow()
            ? ActionOutcome.Why.NOT_NOW
            : failure.denied() ? ActionOutcome.Why.DENIED : ActionOutcome.Why.INVALID;
    return new ActionOutcome.Refused(why, what);
  }
}
