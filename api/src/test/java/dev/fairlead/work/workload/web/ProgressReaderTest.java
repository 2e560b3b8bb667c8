package dev.fairlead.work.workload.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.body.BodyReader;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.work.output.Progress;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bodies of progress reports. */
class ProgressReaderTest {
  private final FieldProblems problems = new FieldProblems();

  private Progress read(String yaml) {
    try {
      return ProgressReader.read(
          BodyReader.yaml(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
              .fields(problems));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Fails when a number is lost, or an empty report is refused. */
  @Test
  void aReportHasStepsAndMetrics() {
    assertThat(read("{step: 0, total: 9007199254740992, metrics: {loss: 0.31, eval/f1: -1}}"))
        .isEqualTo(
            new Progress(0L, 1L << 53, new TreeMap<>(Map.of("loss", 0.31, "eval/f1", -1.0))));
    assertThat(read("{}")).isEqualTo(Progress.NONE);
    assertThat(problems.all()).isEmpty();
  }

  /** Fails when a hostile value is stored, or the problem names another field. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{step: -1} | /step",
        "{step: 9007199254740993} | /step",
        "{step: 1e400} | /step",
        "{step: 1.5} | /step",
        "{step: '7'} | /step",
        "{step: 7, total: 6} | /total",
        "{total: 99999999999999999999999999} | /total",
        "{metrics: {loss: .nan}} | /metrics/loss",
        "{metrics: {loss: .inf}} | /metrics/loss",
        "{metrics: {loss: 1e999}} | /metrics/loss",
        "{metrics: {loss: '0.3'}} | /metrics/loss",
        "{metrics: {loss: [1]}} | /metrics/loss",
        "{metrics: {'<b>': 1}} | /metrics/<b>",
        "{metrics: {'a/~b': 1}} | /metrics/a~1~0b",
        "{metrics: 3} | /metrics",
        "{steps: 3} | /steps",
      })
  void unknownFieldIsNamed(String body, String pointer) {
    read(body);
    assertThat(problems.all()).extracting(FieldProblem::pointer).containsExactly(pointer);
  }

  /** Fails when a report can have any number of metrics, or a name of any length. */
  @Test
  void metricsAreFewAndTheirNamesShort() {
    String many =
        IntStream.range(0, 17).mapToObj(i -> "m" + i + ": 1").collect(Collectors.joining(", "));
    read("{metrics: {" + many + "}}");
    read("{metrics: {" + "m".repeat(64) + ": 1}}");
    assertThat(problems.all())
        .extracting(FieldProblem::pointer)
        .isEqualTo(List.of("/metrics", "/metrics/" + "m".repeat(64)));
  }
}
