package dev.fairlead.work.workload.kubernetes.front;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.front.FrontStatus;
import dev.fairlead.front.SeenJob;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import org.jspecify.annotations.Nullable;

/** Workloads: job specs as objects of a cluster, which Fairlead runs anywhere in the pool. */
public final class WorkloadForm extends SpecForm {
  /** Kind and version, human-readable. */
  public static final String TEXT = "Workload (fairlead.dev/v1alpha1)";

  private final String installation;

  /**
   * @param installation label of this installation
   */
  public WorkloadForm(String installation, ClusterCalls calls) {
    super("Workload", "workloads", calls);
    this.installation = installation;
  }

  @Override
  public String prefix() {
    return SeenJob.WORKLOAD;
  }

  @Override
  public @Nullable ShownJob shown(GenericKubernetesResource workload) {
    boolean held = ShownJob.finalizers(workload.getMetadata()).contains(ShownJob.FINALIZER);
    WorkloadStatus status = WorkloadStatus.read(status(workload), generation(workload), held);
    return status == null
        ? null
        : ShownJob.of(workload.getMetadata(), prefix(), status, installation);
  }

  @Override
  public void show(ObjectNode patch, FrontStatus status, @Nullable ShownJob is) {
    WorkloadStatus before = is == null ? null : is.workload();
    patch.set("status", WorkloadStatus.next(before, status).patch());
  }
}
