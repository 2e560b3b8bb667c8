package dev.fairlead.work.workload.kubernetes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.workload.kubernetes.front.KindState;
import dev.fairlead.work.workload.kubernetes.kind.InPlace;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.InstantSource;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The parts of the product that start and stop objects in place, as one process has them, without
 * the Kubernetes client: {@link KubernetesClusterGateway} and {@link AttemptLauncher} call them in
 * the same way.
 */
public final class InPlaceConnection {
  private static final int MOST_STOPPED = 10_000;

  /** The API server, as this process reaches it. */
  public interface Server {
    @Nullable GenericKubernetesResource read(InPlace object);

    ActionOutcome patch(InPlace object, ObjectNode patch);

    boolean runs(InPlace object);

    /** Creates the anchor of an attempt, unless the fence has a higher epoch. */
    ActionOutcome anchor(InPlace object, long epoch);

    ActionOutcome retire(AttemptId attempt);
  }

  private final Server server;
  private final boolean believing;
  private final WorkloadIndex workloads = new WorkloadIndex(1);
  private final InPlaceIndex index;
  private final InPlaceObjects objects;
  private final Tombstones stopped = new Tombstones(MOST_STOPPED);
  private final Map<AttemptId, InPlace> anchors = new TreeMap<>();
  private final Map<String, KindState> states = new TreeMap<>();

  /**
   * @param believing the unguarded twin, which takes each report of a suspension for a new one
   */
  public InPlaceConnection(
      Installation installation,
      Server server,
      InstantSource clock,
      Runnable changed,
      boolean believing) {
    this.server = server;
    this.believing = believing;
    index = new InPlaceIndex(workloads, clock, attempt -> {});
    objects = new InPlaceObjects(installation, index, calls(server), Runnable::run, changed);
  }

  private static ObjectCalls calls(Server server) {
    return new ObjectCalls() {
      @Override
      public @Nullable GenericKubernetesResource read(InPlace object) {
        return server.read(object);
      }

      @Override
      public @Nullable GenericKubernetesResource made(
          InPlace object, GenericKubernetesResource is) {
        return null;
      }

      @Override
      public boolean placesPods() {
        return true;
      }

      @Override
      public ActionOutcome patch(InPlace object, ObjectNode patch) {
        return server.patch(object, patch);
      }

      @Override
      public boolean runs(InPlace object) {
        return server.runs(object);
      }

      @Override
      public ActionOutcome retire(WorkloadAction.Retire anchor) {
        return server.retire(anchor.attempt());
      }
    };
  }

  /** Records an attempt as the database has it. */
  public void recognise(Attempt attempt, Job job) {
    objects.recognise(attempt, job);
  }

  /** The result is null for an action on an attempt with separate pods. */
  public @Nullable ActionOutcome apply(WorkloadAction action) {
    InPlace object = index.find(action.attempt());
    return switch (action) {
      case WorkloadAction.Launch launch ->
          InPlace.object(launch.order().job()).isEmpty() ? null : launch(launch.order());
      case WorkloadAction.Stop stop -> {
        stopped.all(stop.attempt());
        yield object == null ? null : stop(object);
      }
      case WorkloadAction.Remove remove -> {
        stopped.some(remove.attempt(), remove.members());
        yield object == null ? null : stop(object);
      }
      case WorkloadAction.Retire retire -> {
        stopped.all(retire.attempt());
        yield object == null ? null : objects.retire(retire);
      }
      case WorkloadAction.Ask ask -> null;
      case WorkloadAction.Budget budget -> null;
    };
  }

  private ActionOutcome stop(InPlace object) {
    ActionOutcome outcome = objects.stop(object);
    if (believing) {
      index.reported(object);
    }
    return outcome;
  }

  private ActionOutcome launch(LaunchOrder order) {
    TreeSet<MemberKey> members = new TreeSet<>();
    order.attempt().members().forEach(member -> members.add(MemberKey.of(member)));
    InPlace object = InPlace.of(order.attempt(), order.job());
    if (stopped.whole(order.attempt().id())) {
      return new ActionOutcome.Done(members);
    }
    if (object == null) {
      return new ActionOutcome.Refused(ActionOutcome.Why.INVALID, "no object");
    }
    index.begins(object);
    ActionOutcome anchored = server.anchor(object, order.epoch());
    return anchored instanceof ActionOutcome.Done
        ? objects.start(order, object, PodDevices.EXTENDED_RESOURCE)
        : anchored;
  }

  /** Applies the current anchors, as the watch of the cluster's first complete view. */
  public void anchored(Map<AttemptId, InPlace> now) {
    for (AttemptId gone : new TreeSet<>(anchors.keySet())) {
      if (!now.containsKey(gone)) {
        boolean _ = index.anchored(anchors.remove(gone), null);
        boolean _ = workloads.others(gone, false);
      }
    }
    now.forEach((attempt, object) -> {
      if (!object.equals(anchors.put(attempt, object))) {
        boolean _ = index.anchored(null, object);
        boolean _ = workloads.others(attempt, true);
      }
    });
  }

  /** Delivers the current objects by UID, as a watch does. */
  public void shown(Map<String, KindState> now) {
    for (String gone : new TreeSet<>(states.keySet())) {
      if (!now.containsKey(gone)) {
        states.remove(gone);
        boolean _ = index.changed(gone, null);
      }
    }
    now.forEach((uid, state) -> {
      if (!state.equals(states.put(uid, state))) {
        boolean _ = index.changed(uid, state);
      }
    });
  }

  /** Returns whether this process knows the attempt as one in place. */
  public boolean knows(AttemptId attempt) {
    return index.find(attempt) != null;
  }

  public void prove() {
    objects.prove();
  }

  public WorkloadView since(long revision) {
    return workloads.since(revision);
  }
}
