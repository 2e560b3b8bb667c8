package dev.fairlead.workload.kubernetes;

import dev.fairlead.workload.ActionOutcome;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

/**
 * Creates objects once. A POST is never repeated here: when its answer is lost the object is looked
 * up, and the name that is taken is compared, not replaced.
 */
final class ObjectCreator {
  private final ClusterCalls calls;
  private final Namespaces namespaces;
  private final InFlight inFlight;

  ObjectCreator(ClusterCalls calls, Namespaces namespaces, InFlight inFlight) {
    this.calls = calls;
    this.namespaces = namespaces;
    this.inFlight = inFlight;
  }

  <T extends HasMetadata> Creation<T> create(KubernetesClient client, T wanted) {
    String name = wanted.getMetadata().getNamespace() + "/" + wanted.getMetadata().getName();
    Long earlier = inFlight.sending(name);
    try {
      T created = calls.write(() -> client.resource(wanted).create());
      inFlight.resolved(name, earlier);
      return new Creation.Ours<>(created);
    } catch (CallFailure failure) {
      if (failure.effect() == CallFailure.Effect.UNKNOWN) {
        inFlight.unknown(name);
        return lookUp(client, wanted, earlier, failure);
      }
      inFlight.resolved(name, earlier);
      return failure.conflict()
          ? lookUp(client, wanted, earlier, failure)
          : new Creation.Not<>(outcome(wanted, failure));
    }
  }

  private <T extends HasMetadata> Creation<T> lookUp(
      KubernetesClient client, T wanted, @Nullable Long earlier, CallFailure why) {
    T there;
    try {
      there = calls.read(() -> client.resource(wanted).get());
    } catch (CallFailure failure) {
      return new Creation.Not<>(
          new ActionOutcome.Unavailable(why.getMessage() + "; " + failure.getMessage()));
    }
    if (there == null) {
      return new Creation.Not<>(new ActionOutcome.Unavailable(String.valueOf(why.getMessage())));
    }
    String name = wanted.getMetadata().getNamespace() + "/" + wanted.getMetadata().getName();
    inFlight.resolved(name, earlier);
    return ObjectLabels.sameIdentity(there, wanted)
        ? new Creation.Ours<>(there)
        : new Creation.Not<>(
            new ActionOutcome.Refused(
                ActionOutcome.Why.NAME_TAKEN,
                wanted.getKind()
                    + " "
                    + name
                    + " is there and is not ours; nothing of it was changed"));
  }

  private ActionOutcome outcome(HasMetadata wanted, CallFailure failure) {
    String what =
        wanted.getKind() + " " + wanted.getMetadata().getName() + ": " + failure.getMessage();
    if (failure.notFound() || failure.namespaceEnding()) {
      namespaces.forget(wanted.getMetadata().getNamespace());
      return new ActionOutcome.Unavailable(what);
    }
    if (failure.refusedBy(TermFence.NAME)) {
      // Not the object's fault: whoever was deposed learns it at the next claim.
      return new ActionOutcome.Unavailable(what);
    }
    if (failure.invalid()) {
      return new ActionOutcome.Refused(ActionOutcome.Why.INVALID, what);
    }
    return failure.admissionRefused()
        ? new ActionOutcome.Refused(ActionOutcome.Why.INVALID, what)
        : new ActionOutcome.Unavailable(what);
  }
}
