package dev.fairlead.work.workload.kubernetes.pod;

import dev.fairlead.work.serving.ModelUri;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.spec.JobSpec;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import java.util.List;
import java.util.Optional;

/** Mounts the image with the model of a replica as a read-only volume. */
final class ModelImage {
  private static final String VOLUME = "model";

  private ModelImage() {}

  /** Returns the pod with the model of its job, the same if no image contains it. */
  static PodSpec in(PodSpec pod, JobSpec job) {
    Optional<String> image =
        Optional.ofNullable(job.annotations().get(ServiceVersion.MODEL))
            .flatMap(ModelUri::parse)
            .flatMap(ModelUri::image);
    if (image.isEmpty()) {
      return pod;
    }
    List<Container> containers =
        pod.getContainers().stream()
            .map(each ->
                each.getName().equals(PodSpecs.CONTAINER)
                    ? new ContainerBuilder(each)
                        .addNewVolumeMount()
                        .withName(VOLUME)
                        .withMountPath(ModelUri.MOUNT)
                        .withReadOnly(true)
                        .endVolumeMount()
                        .build()
                    : each)
            .toList();
    return new PodSpecBuilder(pod)
        .withContainers(containers)
        .addNewVolume()
        .withName(VOLUME)
        .withNewImage("IfNotPresent", image.get())
        .endVolume()
        .build();
  }
}
