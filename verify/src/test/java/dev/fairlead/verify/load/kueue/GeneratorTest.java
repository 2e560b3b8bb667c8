package dev.fairlead.verify.load.kueue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.verify.load.kueue.Generator.Kind;
import dev.fairlead.verify.load.kueue.Generator.Workload;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

class GeneratorTest {
  private final List<Workload> all = Generator.workloads(1);

  /** The figures of Kueue's baseline configuration. */
  @Test
  void eachOfThirtyQueuesGetsFiveHundredWorkloads() {
    assertThat(all).hasSize(15_000);
    assertThat(all.stream().map(Workload::queue).distinct()).hasSize(30);
    assertThat(of("cq-4-5", Kind.SMALL)).hasSize(350);
    assertThat(of("cq-4-5", Kind.MEDIUM)).hasSize(100);
    assertThat(of("cq-4-5", Kind.LARGE)).hasSize(50);
    assertThat(all.stream().map(Workload::name).distinct()).hasSize(15_000);
  }

  /** Fails when the first event arrives immediately: Kueue's generator waits before each. */
  @Test
  void eachKindArrivesAtItsIntervalInOrder() {
    assertThat(of("cq-0-0", Kind.SMALL).getFirst().due()).isEqualTo(Duration.ofMillis(100));
    assertThat(of("cq-0-0", Kind.MEDIUM).getLast().due()).isEqualTo(Duration.ofSeconds(50));
    assertThat(of("cq-0-0", Kind.LARGE).getLast().due()).isEqualTo(Duration.ofMinutes(1));
    assertThat(all).isSortedAccordingTo(Comparator.comparing(Workload::due));
  }

  @Test
  void theoreticalMinimumIsSixtySixSeconds() {
    assertThat(Generator.work(all)).isEqualTo(Duration.ofSeconds(66));
  }

  @Test
  void aTenthHasATenthOfEachKind() {
    List<Workload> tenth = Generator.workloads(0.1);

    assertThat(tenth).hasSize(1_500);
    assertThat(Generator.work(tenth)).isEqualTo(Duration.ofMillis(6_600));
  }

  private List<Workload> of(String queue, Kind kind) {
    return all.stream().filter(w -> w.queue().equals(queue) && w.kind() == kind).toList();
  }
}
