package dev.fairlead.work.workload.kubernetes.front;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.front.FrontCondition;
import dev.fairlead.front.FrontRequest;
import dev.fairlead.front.FrontStatus;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Jobs with {@code spec.managedBy} set to Fairlead, which runs them anywhere in the pool.
 *
 * @param installation label of this one
 */
public record JobForm(String installation) implements FrontForm<Job> {
  @Override
  public String prefix() {
    return "";
  }

  @Override
  public Informable<Job> all(KubernetesClient client) {
    return client.batch().v1().jobs().inAnyNamespace();
  }

  @Override
  public Resource<Job> named(KubernetesClient client, String namespace, String name) {
    return client.batch().v1().jobs().inNamespace(namespace).withName(name);
  }

  @Override
  public Job blank() {
    return new Job();
  }

  @Override
  public @Nullable ShownJob shown(Job job) {
    return ShownJob.of(job, installation);
  }

  @Override
  public boolean asks(Job job, String uid) {
    return ShownJob.asks(job, uid);
  }

  @Override
  public FrontRequest request(Job job) {
    return JobDocument.of(job);
  }

  @Override
  public void show(ObjectNode patch, FrontStatus status, @Nullable ShownJob is) {
    ObjectNode next = patch.putObject("status");
    status(next, status);
    if (is != null && is.indexes() != null && status.is(FrontCondition.COMPLETE)) {
      next.put("completedIndexes", is.indexes());
    }
  }

  /** Writes the status in the form of a Job's status. */
  public static void status(ObjectNode next, FrontStatus status) {
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
  }

  @Override
  public boolean patchesStatus() {
    return true;
  }

  @Override
  public boolean offered(Supplier<KubernetesClient> client) {
    return true;
  }
}
