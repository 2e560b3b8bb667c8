package dev.fairlead.verify.load.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.verify.load.queue.QueueRun.Submits;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class QueueBenchTest {
  /** Fails when a number is accepted that is not divisible by the batches. */
  /** Fails when figures of one run are mistaken for the median of all. */
  @Test
  void eachFigureIsTheMedianOfItsSamples() {
    List<QueueRun> runs =
        IntStream.of(3, 1, 2)
            .mapToObj(
                n -> new QueueRun("x", Submits.BATCHED, n, 10 - n, 0, 3 * n, n * n, 0, 0, 0, 0, ""))
            .toList();

    assertThat(QueueRun.median(runs))
        .isEqualTo(new QueueRun("x", Submits.BATCHED, 2, 8, 0, 6, 4, 0, 0, 0, 0, ""));
  }

  /** Fails when the parse and bind steps of a statement count too. */
  @Test
  void loggedStatementCountsOnce() {
    String log =
        """
        2026-01-01 00:00:00.000 UTC [7] LOG:  duration: 0.010 ms  parse <unnamed>: SELECT 1
        2026-01-01 00:00:00.000 UTC [7] LOG:  duration: 0.020 ms  bind <unnamed>: SELECT 1
        2026-01-01 00:00:00.000 UTC [7] LOG:  duration: 0.030 ms  execute <unnamed>: SELECT 1
        2026-01-01 00:00:00.000 UTC [7] LOG:  duration: 0.040 ms  statement: SELECT 'execute 1'
        2026-01-01 00:00:00.000 UTC [7] ERROR:  relation "execute" does not exist
        """;

    assertThat(StatementLog.executed(log)).isEqualTo(2);
  }
}
