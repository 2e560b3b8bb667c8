package dev.fairlead.work.job.web.spec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyReader;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.work.spec.JobSpec;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** Reads specs for tests. */
final class Specs {
  private Specs() {}

  /** Parses valid YAML. */
  static JobSpec spec(String yaml) {
    FieldProblems problems = new FieldProblems();
    Optional<JobSpec> spec = read(yaml, problems);
    assertThat(problems.all()).isEmpty();
    return spec.orElseThrow();
  }

  static List<FieldProblem> problems(String yaml) {
    FieldProblems problems = new FieldProblems();
    assertThat(read(yaml, problems)).isEmpty();
    return problems.all();
  }

  private static Optional<JobSpec> read(String yaml, FieldProblems problems) {
    return new JobSpecReader(List.of("pool"), () -> new LimitBook(List.of(), 0))
        .read(body(yaml).value(problems));
  }

  static Body body(String yaml) {
    try {
      return BodyReader.yaml(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
