package dev.fairlead.verify.engine.fgd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.verify.BadInput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lists are read by their heading, and an error names its position. */
class OpenbListsTest {
  @TempDir Path directory;

  @Test
  void podsAskForPartsWholeGpusOrNone() throws IOException {
    PodList list =
        PodList.read(
            OpenbFiles.pods(
                directory,
                "a,6000,12288,1,460,,LS",
                "b,8000,1024,1,1000,V100M32|T4,LS",
                "c,8000,1024,8,1000,,BE",
                "d,8000,1024,0,0,,BE"));
    assertThat(list.name()).isEqualTo("small");
    assertThat(list.pods())
        .extracting(p -> p.gpu())
        .containsExactly(
            GpuRequest.fraction(460),
            GpuRequest.whole(1, "T4", "V100M32"),
            GpuRequest.whole(8),
            GpuRequest.NONE);
  }

  @Test
  void listWithoutModelsRequestsAnyModel() throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("openb_pod_list_multigpu20.csv"),
            "name,cpu_milli,memory_mib,num_gpu,gpu_milli\na,1000,1024,2,1000\n");
    assertThat(PodList.read(file).pods().getFirst().gpu()).isEqualTo(GpuRequest.whole(2));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "a,x,1024,1,460,,LS; cpu_milli: expected thousandths of a core, 0 or more, found \"x\"",
        "a,1,-1,1,460,,LS; memory_mib: expected MiB, 0 or more, found \"-1\"",
        "a,1,1,99,460,,LS; num_gpu: expected a number of GPUs, 0 to 64, found \"99\"",
        "a,1,1,1,1001,,LS; gpu_milli: expected thousandths of a GPU, 0 to 1000, found \"1001\"",
        "a,1,1,1,0,,LS; gpu_milli: expected thousandths of one GPU, 1 to 1000, found \"0\"",
      })
  void aBadPodIsNamedByFileLineAndColumn(String row, String expected) throws IOException {
    Path file = OpenbFiles.pods(directory, "a,1,1,1,460,,LS", row);
    assertThatThrownBy(() -> PodList.read(file))
        .isInstanceOf(BadInput.class)
        .hasMessage(file + ":3: column " + expected);
  }

  @Test
  void aMissingColumnIsNamed() throws IOException {
    Path file = Files.writeString(directory.resolve("nodes.csv"), "sn,cpu_milli\nn,1\n");
    assertThatThrownBy(() -> NodeList.read(file))
        .hasMessageContainingAll(":1: column memory_mib", "MiB");
  }

  @Test
  void twoNodesOfOneNameAreRefused() throws IOException {
    Path file = OpenbFiles.nodes(directory, "n,1,1,8,G2", "n,1,1,8,G2");
    assertThatThrownBy(() -> NodeList.read(file))
        .hasMessageContainingAll(":3: column sn", "other node");
  }
}
