package dev.fairlead.verify.engine.fgd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The protocol on a cluster small enough to count by hand. */
class RunTest {
  @TempDir Path directory;
  private NodeList nodes;

  @BeforeEach
  void twoNodes() throws IOException {
    nodes = NodeList.read(OpenbFiles.nodes(directory, "n1,64000,65536,4,G2", "n2,8000,65536,4,G2"));
  }

  @Test
  void copiesAreDrawnUntilTheRequestsAre130PercentAndOneSeedIsOneOrder() throws IOException {
    PodList list = PodList.read(OpenbFiles.pods(directory, "a,1000,1,1,500,,", "b,2000,1,1,500,,"));
    assertThat(Arrivals.of(list, nodes.gpuMilli(), 7)).hasSize(21);
    assertThat(Arrivals.of(list, nodes.gpuMilli(), 7))
        .isEqualTo(Arrivals.of(list, nodes.gpuMilli(), 7));
  }

  @ParameterizedTest
  @EnumSource
  void jobThatFitsNowhereIsDropped(Policy policy) throws IOException {
    PodList list = PodList.read(OpenbFiles.pods(directory, "a,8000,1024,1,1000,,"));

    Run.Figures figures = new Run(nodes, list).of(policy, 1);

    /* four GPUs of n1 and one of n2, which uses up the CPU of n2 */
    assertThat(figures.allocatedAt100()).isEqualTo(62.5);
    assertThat(figures.allocatedAt130()).isEqualTo(62.5);
    assertThat(figures.decisions()).isEqualTo(11);
    assertThat(figures.fragmented().get(3)).isEqualTo(37.5);
  }

  @Test
  void sameSeedYieldsTheSameFigures() throws IOException {
    PodList list =
        PodList.read(
            OpenbFiles.pods(
                directory, "a,4000,1024,1,300,,", "b,8000,1024,2,1000,,", "c,1,1,0,0,,"));
    for (Policy policy : Policy.values()) {
      Run.Figures once = new Run(nodes, list).of(policy, 3);
      Run.Figures again = new Run(nodes, list).of(policy, 3);
      assertThat(again.allocatedAt130()).isEqualTo(once.allocatedAt130());
      assertThat(again.fragmented()).isEqualTo(once.fragmented());
    }
  }
}
