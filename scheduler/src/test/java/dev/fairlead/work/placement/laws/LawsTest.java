package dev.fairlead.work.placement.laws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.figures.Figure;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks each law on some worlds. {@code make laws} checks any number. Two laws are checked
 * concurrently.
 */
@Execution(ExecutionMode.CONCURRENT)
class LawsTest {
  /** These laws state that preemption ends. */
  private static final Set<String> OF_PREEMPTION = Set.of("no-turn-about", "place-kept");

  static Stream<Law> laws() {
    return Laws.ALL.stream();
  }

  @Tag(Figure.TAG)
  @ParameterizedTest
  @MethodSource("laws")
  void everyWorldSatisfiesTheLaw(Law law) {
    boolean preempts = OF_PREEMPTION.contains(law.name());
    int worlds = preempts ? Figure.times(40, 100_000) : Figure.times(15, 2_000);
    for (long seed = 0; seed < worlds; seed++) {
      assertThat(Laws.judge(law, seed, true).map(Laws.Broken::text)).isEmpty();
    }
    if (preempts) {
      Figure.seen("G24", law.name() + " held in " + worlds + " worlds");
    }
  }

  /**
   * 85283 fails when all released capacity counts for the first job, and 82490 when EarliestStart
   * releases a job twice that was ordered to leave in the same cycle.
   */
  @ParameterizedTest
  @CsvSource({"victims-needed, 81571", "victims-needed, 82490", "victims-needed, 85283"})
  void previouslyFailingWorldSatisfiesTheLaw(String name, long seed) {
    Law law = Laws.ALL.stream().filter(l -> l.name().equals(name)).findFirst().orElseThrow();

    assertThat(Laws.judge(law, seed, true).map(Laws.Broken::text)).isEmpty();
  }

  @Test
  void violatedLawIsReportedWithASmallWorld() {
    Law noPairs = new Law("no-pairs", LawsTest::asksForTwo);
    long seed = 0;
    while (Laws.judge(noPairs, seed, false).isEmpty()) {
      seed++;
    }

    Laws.Broken broken = Laws.judge(noPairs, seed, true).orElseThrow();

    assertThat(broken.smallest().pending()).hasSize(1);
    assertThat(broken.smallest().live()).isEmpty();
    assertThat(broken.smallest().nodes()).isEmpty();
    assertThat(broken.text()).contains("seed " + seed, "asks for two", "job j", "2 GPUs");
  }

  private static Optional<String> asksForTwo(World world, Random random) {
    return world.pending().stream()
        .filter(p -> gpus(p) == 2)
        .map(p -> p.job().name() + " asks for two")
        .findFirst();
  }

  private static int gpus(PendingJob pending) {
    return pending.job().spec().roles().stream()
        .filter(r -> r.gpu().kind() == GpuRequest.Kind.WHOLE)
        .mapToInt(r -> r.gpu().count())
        .max()
        .orElse(0);
  }
}
