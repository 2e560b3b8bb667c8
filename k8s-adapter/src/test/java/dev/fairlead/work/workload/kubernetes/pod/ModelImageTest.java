package dev.fairlead.work.workload.kubernetes.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.job.Specs;
import dev.fairlead.work.serving.ServiceVersion;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import org.junit.jupiter.api.Test;

/** The volume with the model of a replica. */
class ModelImageTest {
  private static final PodSpec POD =
      new PodSpecBuilder()
          .addNewContainer()
          .withName(PodSpecs.CONTAINER)
          .endContainer()
          .addNewContainer()
          .withName("injected")
          .endContainer()
          .build();

  private static PodSpec with(String model) {
    return ModelImage.in(POD, Specs.job("chat").annotation(ServiceVersion.MODEL, model).build());
  }

  /** Fails when a server does not find the model of an image. */
  @Test
  void imageIsMountedReadOnlyInTheContainerOfTheJob() {
    PodSpec pod = with("oci://registry.example.com/nlp/chat:2");
    assertThat(pod.getVolumes())
        .singleElement()
        .satisfies(volume -> {
          assertThat(volume.getImage().getReference()).isEqualTo("registry.example.com/nlp/chat:2");
          assertThat(volume.getImage().getPullPolicy()).isEqualTo("IfNotPresent");
        });
    assertThat(pod.getContainers().getFirst().getVolumeMounts())
        .singleElement()
        .satisfies(mount -> {
          assertThat(mount.getMountPath()).isEqualTo("/models");
          assertThat(mount.getReadOnly()).isTrue();
        });
    assertThat(pod.getContainers().getLast().getVolumeMounts()).isEmpty();
  }

  @Test
  void otherModelsNeedNoVolume() {
    assertThat(with("s3://models/chat")).isEqualTo(POD);
  }
}
