package dev.fairlead.work.workload.kubernetes.front;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.front.FrontStatus;
import dev.fairlead.front.SeenJob;
import dev.fairlead.front.ServiceStatus;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import org.jspecify.annotations.Nullable;

/** ModelServices: service files as objects of a cluster, which Fairlead serves anywhere. */
public final class ServiceForm extends SpecForm {
  /** Kind and version, human-readable. */
  public static final String TEXT = "ModelService (fairlead.dev/v1alpha1)";

  private final String installation;

  /**
   * @param installation label of this installation
   */
  public ServiceForm(String installation, ClusterCalls calls) {
    super("ModelService", "modelservices", calls);
    this.installation = installation;
  }

  @Override
  public String prefix() {
    return SeenJob.MODEL_SERVICE;
  }

  @Override
  public @Nullable ShownJob shown(GenericKubernetesResource object) {
    ServiceStatus status =
        ServiceStatusJson.read(status(object), generation(object), digest(object));
    return ShownJob.of(object.getMetadata(), prefix(), status, installation);
  }

  @Override
  public void show(ObjectNode patch, FrontStatus status, @Nullable ShownJob is) {
    ServiceStatus service = status.service();
    if (service != null) {
      patch.set("status", ServiceStatusJson.patch(service));
    }
  }
}
