package dev.fairlead.work.workload.kubernetes;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.front.KindState;
import dev.fairlead.work.workload.kubernetes.front.KindState.Phase;
import dev.fairlead.work.workload.kubernetes.front.ShownJob;
import dev.fairlead.work.workload.kubernetes.kind.InPlace;
import dev.fairlead.work.workload.kubernetes.kind.KindDocument;
import dev.fairlead.work.workload.kubernetes.kind.KindObject;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts and stops users' objects in place, by their suspend field. A stopped object counts as
 * ended only when its controller has reported that and no pod of the attempt runs.
 */
final class InPlaceObjects {
  private static final Logger LOG = LoggerFactory.getLogger(InPlaceObjects.class);
  private static final ActionOutcome DONE = new ActionOutcome.Done(Collections.emptySortedSet());

  /** Its pods would wait for a node with a label that no node has. */
  private static final String UNPLACED =
      ": its cluster has no MutatingAdmissionPolicy fairlead-front-nodes, or Fairlead may not read"
          + " it. An operator of the cluster applies it, on Kubernetes 1.36 or later: kubectl apply"
          + " -f deploy/cluster-front-nodes.yaml";

  private final Installation installation;
  private final InPlaceIndex index;
  private final ObjectCalls objects;
  private final Executor threads;
  private final Runnable listener;
  private final AtomicBoolean proving = new AtomicBoolean();

  /**
   * @param threads looks for proofs of the end of attempts
   * @param listener called after members changed
   */
  InPlaceObjects(
      Installation installation,
      InPlaceIndex index,
      ObjectCalls objects,
      Executor threads,
      Runnable listener) {
    this.installation = installation;
    this.index = index;
    this.objects = objects;
    this.threads = threads;
    this.listener = listener;
  }

  boolean any() {
    return index.any();
  }

  /** Records a launched attempt from the database, unless it has its own pods. */
  void recognise(Attempt attempt, Job job) {
    InPlace object = InPlace.of(attempt, job);
    boolean observed = attempt.members().stream().anyMatch(member -> member.uid() != null);
    if (object != null && index.recognised(object, observed)) {
      listener.run();
    }
  }

  /** Applies a change of an object from its watch. */
  void changed(@Nullable ShownJob before, @Nullable ShownJob now) {
    ShownJob is = now != null ? now : before;
    if (is != null && index.changed(is.uid(), now == null ? null : now.state())) {
      listener.run();
    }
  }

  /**
   * Starts the object on the nodes of the attempt.
   *
   * @param devices form of the cluster's requests for whole GPUs
   * @throws CallFailure if the cluster does not answer
   */
  ActionOutcome start(LaunchOrder order, InPlace object, PodDevices devices) {
    GenericKubernetesResource is = objects.read(object);
    if (is == null) {
      return refused(ActionOutcome.Why.NOT_NOW, object.text() + " no longer exists");
    }
    if (!held(is)) {
      return refused(ActionOutcome.Why.NOT_NOW, object.text() + " is no longer adopted here");
    }
    KindObject read = KindObject.of(object.kind(), is, objects.made(object, is));
    KindState state = read.state();
    boolean ours = object.attempt().equals(state.attempt());
    return switch (state.phase()) {
      case STARTING, RUNNING ->
          ours
              ? DONE
              : started(object, state.attempt())
                  ? new ActionOutcome.Unavailable(object.text() + " runs for its last attempt")
                  : refused(
                      ActionOutcome.Why.INVALID,
                      "%s was started by a client other than Fairlead: %s is false"
                          .formatted(object.text(), object.kind().suspend().text()));
      case STOPPING ->
          new ActionOutcome.Unavailable(
              object.text() + ": its controller has not reported that it is suspended");
      case SUCCEEDED, FAILED ->
          ours ? DONE : refused(ActionOutcome.Why.INVALID, object.text() + " has already ended");
      case SUSPENDED -> ours ? DONE : start(order, object, is, read, devices);
    };
  }

  private ActionOutcome start(
      LaunchOrder order, InPlace object, HasMetadata is, KindObject read, PodDevices devices) {
    SortedMap<String, SortedSet<String>> nodes = new TreeMap<>();
    SortedMap<String, ResourceVector> reserved = new TreeMap<>();
    for (Member member : order.attempt().members()) {
      nodes.computeIfAbsent(member.role(), r -> new TreeSet<>()).add(member.nodeName());
      reserved.put(member.role(), member.request());
    }
    if (!read.complete()) {
      return new ActionOutcome.Unavailable(
          object.text() + ": its controller has not created the object with its pods");
    }
    if (object.kind().annotated() && !objects.placesPods()) {
      return refused(ActionOutcome.Why.NOT_NOW, object.text() + UNPLACED);
    }
    try {
      if (!read.has(object.counts())) {
        return refused(
            ActionOutcome.Why.INVALID,
            object.text() + " has a different number of pods than at its adoption");
      }
      KindDocument.check(read, reserved, devices);
      ObjectNode patch = of(is, object.attempt());
      patch.set("spec", read.started(object.attempt(), nodes));
      return objects.patch(object, patch);
    } catch (KindObject.Unreadable changed) {
      return refused(
          ActionOutcome.Why.INVALID,
          "%s: %s: %s".formatted(object.text(), changed.path(), changed.getMessage()));
    }
  }

  private boolean held(HasMetadata is) {
    Map<String, String> notes = is.getMetadata().getAnnotations();
    return is.getMetadata().getFinalizers().contains(ShownJob.FINALIZER)
        && notes != null
        && installation.label().equals(notes.get(ShownJob.INSTALLATION));
  }

  /**
   * Stops the object. The patch names the attempt, so a later start conflicts.
   *
   * @throws CallFailure if the cluster does not answer
   */
  ActionOutcome stop(InPlace object) {
    GenericKubernetesResource is = objects.read(object);
    if (is == null) {
      return DONE;
    }
    KindObject read = KindObject.of(object.kind(), is);
    KindState state = read.state();
    AttemptId last = state.attempt();
    boolean ours = object.attempt().equals(last);
    boolean stops = state.phase().over() || state.phase() == Phase.STOPPING;
    boolean others = !ours && started(object, last);
    if (ours && stops || others) {
      return DONE;
    }
    ObjectNode patch = of(is, object.attempt());
    patch.set("spec", read.stopped());
    ActionOutcome stopped = objects.patch(object, patch);
    if (!ours && state.phase() == Phase.SUSPENDED && stopped instanceof ActionOutcome.Done) {
      index.reported(object);
    }
    return stopped;
  }

  /**
   * Removes the anchor of an attempt that counts as dead, for example because its nodes have
   * booted. The object remains with its user, and is stopped if it still runs for the attempt.
   *
   * @throws CallFailure if the cluster does not answer
   */
  ActionOutcome retire(WorkloadAction.Retire retire) {
    InPlace object = index.find(retire.attempt());
    if (object != null && !index.proven(retire.attempt()) && last(object)) {
      ActionOutcome stopped = stop(object);
      if (!(stopped instanceof ActionOutcome.Done)) {
        return stopped;
      }
    }
    WorkloadAction.Retire anchor =
        new WorkloadAction.Retire(
            retire.attempt(), retire.namespace(), List.of(), retire.neverCreated());
    ActionOutcome retired = objects.retire(anchor);
    if (retired instanceof ActionOutcome.Done && index.forget(retire.attempt())) {
      listener.run();
    }
    return retired;
  }

  /** Returns whether the attempt is of this object. A user can write any attempt into an object. */
  private boolean started(InPlace object, @Nullable AttemptId attempt) {
    InPlace other = attempt == null ? null : index.find(attempt);
    return other != null && other.uid().equals(object.uid());
  }

  /** Returns whether the attempt is the last for which the object was started or stopped. */
  private boolean last(InPlace object) {
    GenericKubernetesResource is = objects.read(object);
    return is != null
        && object.attempt().equals(KindObject.of(object.kind(), is).state().attempt());
  }

  private static ObjectNode of(HasMetadata is, AttemptId attempt) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch
        .putObject("metadata")
        .put("uid", is.getMetadata().getUid())
        .put("resourceVersion", is.getMetadata().getResourceVersion())
        .putObject("annotations")
        .put(KindObject.ATTEMPT, attempt.bare());
    return patch;
  }

  private static ActionOutcome refused(ActionOutcome.Why why, String message) {
    return new ActionOutcome.Refused(why, message);
  }

  /** Looks for proofs of the end of attempts, in the background. Returns at once. */
  void prove() {
    List<InPlace> unproven = index.unproven();
    if (!unproven.isEmpty() && proving.compareAndSet(false, true)) {
      threads.execute(() -> {
        try {
          unproven.forEach(this::prove);
        } finally {
          proving.set(false);
        }
      });
    }
  }

  private void prove(InPlace object) {
    try {
      GenericKubernetesResource is = objects.read(object);
      KindState state =
          is == null ? null : KindObject.of(object.kind(), is, objects.made(object, is)).state();
      if (!index.over(object, state) || objects.runs(object)) {
        index.runs(object);
      } else if (index.settled(object, state)) {
        Phase phase = state == null ? null : state.phase();
        String message = state == null ? "its object was deleted" : state.message();
        if (index.proven(object, phase, message)) {
          listener.run();
        }
      }
    } catch (CallFailure unanswered) {
      LOG.debug("{}: its end is not known", object.text(), unanswered);
    }
  }
}
