package dev.fairlead.verify.simulation.front;

import dev.fairlead.verify.simulation.world.UnguardedStores;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.kubernetes.InPlaceConnection;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A gateway that runs attempts in place through the product's parts, and others as before. */
public final class InPlaceGateway {
  private final ClusterGateway pods;
  private final InPlaceServer server;
  private final InPlaceProcess process;
  private final InPlaceConnection objects;
  private final Map<Long, Revisions> known = new HashMap<>();
  private long revision;

  private record Revisions(long pods, long objects) {}

  private InPlaceGateway(
      ClusterGateway pods,
      InPlaceServer server,
      InPlaceProcess process,
      InPlaceConnection objects) {
    this.pods = pods;
    this.server = server;
    this.process = process;
    this.objects = objects;
  }

  static ClusterGateway of(
      ClusterGateway pods,
      InPlaceServer server,
      InPlaceProcess process,
      InPlaceConnection objects) {
    InPlaceGateway gateway = new InPlaceGateway(pods, server, process, objects);
    return UnguardedStores.of(
        ClusterGateway.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "workloadsSince" -> gateway.since((Long) arguments[0]);
              case "apply" -> gateway.apply((WorkloadAction) arguments[0]);
              case "claim" -> gateway.claim((Long) arguments[0], (Long) arguments[1]);
              case "recognise" -> gateway.recognise((Attempt) arguments[0], (Job) arguments[1]);
              case "gone" ->
                  !objects.knows((AttemptId) arguments[1])
                      && (Boolean) gateway.plain(method, arguments);
              default -> gateway.plain(method, arguments);
            });
  }

  private @Nullable Object plain(Method method, @Nullable Object[] arguments) throws Throwable {
    try {
      return method.invoke(pods, arguments);
    } catch (InvocationTargetException failed) {
      throw failed.getCause() == null ? failed : failed.getCause();
    }
  }

  private WorkloadView since(long given) {
    process.watch();
    Revisions from = known.getOrDefault(given, new Revisions(0, 0));
    WorkloadView one = pods.workloadsSince(from.pods());
    WorkloadView other = objects.since(one.complete() ? 0 : from.objects());
    boolean complete = one.complete() && other.complete();
    SortedMap<AttemptId, ObservedWorkload> all = new TreeMap<>(one.workloads());
    other.workloads().forEach(all::put);
    revision++;
    known.clear();
    known.put(revision, new Revisions(one.revision(), other.revision()));
    return new WorkloadView(revision, complete, all);
  }

  private @Nullable Object recognise(Attempt attempt, Job job) {
    objects.recognise(attempt, job);
    return null;
  }

  private EpochClaim claim(long epoch, long watermark) {
    EpochClaim claim = pods.claim(epoch, watermark);
    if (claim instanceof EpochClaim.Ours) {
      server.claimed(epoch);
    }
    return claim;
  }

  private ActionOutcome apply(WorkloadAction action) {
    try {
      ActionOutcome outcome = objects.apply(action);
      return outcome == null ? pods.apply(action) : outcome;
    } catch (CallFailure failure) {
      return new ActionOutcome.Unavailable(String.valueOf(failure.getMessage()));
    }
  }
}
