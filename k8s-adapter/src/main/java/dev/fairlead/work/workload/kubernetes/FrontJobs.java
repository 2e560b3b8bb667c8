package dev.fairlead.work.workload.kubernetes;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.front.FrontAnswer;
import dev.fairlead.front.FrontCondition;
import dev.fairlead.front.FrontGateway;
import dev.fairlead.front.FrontRequest;
import dev.fairlead.front.FrontStatus;
import dev.fairlead.front.SeenJob;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.kubernetes.call.ByName;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.front.JobDocument;
import dev.fairlead.work.workload.kubernetes.front.ShownJob;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.ScalableResource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/** Jobs of one Kubernetes cluster with {@code spec.managedBy} set to Fairlead. */
final class FrontJobs implements FrontGateway, AutoCloseable {
  /** Advice for a missing right. */
  static final String RIGHTS =
      "give Fairlead's identity on the cluster the rights for a front cluster (apply"
          + " deploy/cluster-front.yaml)";

  /** Maximum number of all Jobs of a cluster, including Jobs of its own controller. */
  private static final int MOST_OBJECTS = 200_000;

  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  private final Installation installation;
  private final ClusterCalls calls;
  private final Supplier<KubernetesClient> client;
  private final FrontWatch watch;
  private final Mirror<Job, ShownJob> mirror;
  private final FrontBound bound = new FrontBound();
  private final ShownJobs shown = new ShownJobs(bound);
  private final WatchedRequests requests = new WatchedRequests();

  /**
   * @param client client for calls. Throws {@link CallFailure} without a client
   */
  FrontJobs(
      Installation installation,
      ClusterCalls calls,
      Supplier<KubernetesClient> client,
      FrontWatch watch) {
    this.installation = installation;
    this.calls = calls;
    this.client = client;
    this.watch = watch;
    this.mirror =
        new Mirror<>(
            MOST_OBJECTS,
            Job::new,
            job -> {
              ShownJob now = ShownJob.of(job, installation.label());
              requests.watched(job, now);
              return now;
            },
            shown::moved);
  }

  @Override
  public void admit(Collection<String> uids) {
    shown.admit(uids);
  }

  @Override
  public void follow(boolean on) {
    if (on && bound.again()) {
      watch.follow(false, mirror); // omitted Jobs become visible only by a new list
    }
    watch.follow(on, mirror);
  }

  @Override
  public View view() {
    String trouble = watch.trouble();
    return new View(watch.complete(), trouble == null ? bound.trouble() : trouble);
  }

  @Override
  public List<String> changed(int most) {
    return shown.changed(most);
  }

  @Override
  public List<String> all() {
    return shown.all();
  }

  @Override
  public Optional<SeenJob> job(String uid) {
    return Optional.ofNullable(shown.get(uid)).map(ShownJob::seen);
  }

  private ScalableResource<Job> named(String namespace, String name) {
    return client.get().batch().v1().jobs().inNamespace(namespace).withName(name);
  }

  @Override
  public FrontAnswer read(String namespace, String name, String uid) {
    ShownJob is = shown.get(uid);
    FrontRequest watched = is == null ? null : requests.take(is);
    if (is != null && watched != null) {
      return new FrontAnswer.Read(is.seen(), watched);
    }
    try {
      Job job = calls.read(() -> ByName.find(named(namespace, name)));
      if (job == null || !ShownJob.asks(job, uid)) {
        return new FrontAnswer.Gone();
      }
      ShownJob now = ShownJob.of(job, installation.label());
      if (now == null) {
        return new FrontAnswer.Refused(
            "its finalizers or its status exceed the size limit, so it is left unchanged");
      }
      shown.read(is, now);
      return new FrontAnswer.Read(now.seen(), JobDocument.of(job));
    } catch (CallFailure failure) {
      return answer(failure);
    }
  }

  @Override
  public FrontAnswer hold(SeenJob seen) {
    return finalizers(seen, true);
  }

  @Override
  public FrontAnswer release(SeenJob seen) {
    return finalizers(seen, false);
  }

  private FrontAnswer finalizers(SeenJob seen, boolean on) {
    ShownJob is = shown.get(seen.uid());
    if (is == null || !is.seen().version().equals(seen.version())) {
      return new FrontAnswer.Changed();
    }
    List<String> next = new ArrayList<>(is.finalizers());
    next.remove(ShownJob.FINALIZER);
    if (on) {
      next.add(ShownJob.FINALIZER);
    }
    ObjectNode patch = of(seen);
    ObjectNode metadata = (ObjectNode) patch.get("metadata");
    if (next.isEmpty()) {
      metadata.putNull("finalizers");
    } else {
      ArrayNode list = metadata.putArray("finalizers");
      next.forEach(list::add);
    }
    ObjectNode annotations = metadata.putObject("annotations");
    if (on) {
      annotations.put(ShownJob.INSTALLATION, installation.label());
    } else {
      annotations.putNull(ShownJob.INSTALLATION);
    }
    return patched(seen, () -> named(seen.namespace(), seen.name()).patch(MERGE, patch.toString()));
  }

  @Override
  public FrontAnswer show(SeenJob seen, FrontStatus status) {
    ObjectNode patch = of(seen);
    ObjectNode next = patch.putObject("status");
    next.put("active", status.active());
    next.put("ready", status.ready());
    next.put("succeeded", status.succeeded());
    next.put("failed", status.failed());
    if (status.startTime() != null) {
      next.put("startTime", status.startTime().toString());
    }
    if (status.completionTime() != null) {
      next.put("completionTime", status.completionTime().toString());
    }
    ShownJob is = shown.get(seen.uid());
    if (is != null && is.indexes() != null && status.is(FrontCondition.COMPLETE)) {
      next.put("completedIndexes", is.indexes());
    }
    ArrayNode conditions = next.putArray("conditions");
    for (FrontCondition one : status.conditions()) {
      ObjectNode condition = conditions.addObject();
      condition.put("type", one.type());
      condition.put("status", one.status());
      condition.put("reason", one.reason());
      condition.put("message", one.message());
      condition.put("lastProbeTime", one.since().toString());
      condition.put("lastTransitionTime", one.since().toString());
    }
    return patched(
        seen,
        () ->
            named(seen.namespace(), seen.name())
                .subresource("status")
                .patch(MERGE, patch.toString()));
  }

  /** Restricts the patch to this Job in this version. */
  private static ObjectNode of(SeenJob seen) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch.putObject("metadata").put("uid", seen.uid()).put("resourceVersion", seen.version());
    return patch;
  }

  private FrontAnswer patched(SeenJob seen, Callable<Job> call) {
    try {
      ShownJob now = ShownJob.of(calls.write(call), installation.label());
      if (now == null) {
        return new FrontAnswer.Changed();
      }
      shown.wrote(seen.version(), now);
      return new FrontAnswer.Done(now.seen());
    } catch (CallFailure failure) {
      return answer(failure);
    }
  }

  private static FrontAnswer answer(CallFailure failure) {
    if (failure.conflict()) {
      return new FrontAnswer.Changed();
    }
    if (failure.notFound()) {
      return new FrontAnswer.Gone();
    }
    String message = String.valueOf(failure.getMessage());
    if (failure.effect() != CallFailure.Effect.REFUSED) {
      return new FrontAnswer.Away(message);
    }
    return new FrontAnswer.Refused(
        failure.code() == HttpURLConnection.HTTP_FORBIDDEN ? message + "; " + RIGHTS : message);
  }

  @Override
  public void close() {
    watch.close();
  }
}
