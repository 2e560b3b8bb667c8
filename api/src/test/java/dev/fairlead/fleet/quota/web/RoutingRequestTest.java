package dev.fairlead.fleet.quota.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.BodyReader;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RoutingRequestTest {
  /** Fails when each list is bounded, and all of them together are not. */
  @Test
  void aPolicyHasSixtyFourNamesInAll() throws IOException {
    assertThat(problems(32, 32)).isEmpty();
    assertThat(problems(32, 33))
        .singleElement()
        .satisfies(problem -> {
          assertThat(problem.pointer()).isEqualTo("/tiers");
          assertThat(problem.code()).isEqualTo(ProblemCode.INVALID_FIELD);
          assertThat(problem.detail()).contains("65").contains("64");
        });
  }

  private static List<FieldProblem> problems(int pools, int clusters) throws IOException {
    String yaml =
        "{tiers: [{pools: [%s]}, {clusters: [%s]}]}".formatted(names(pools), names(clusters));
    FieldProblems problems = new FieldProblems();
    Body body = BodyReader.yaml(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)));
    assertThat(BodyBinder.read(body.value(problems), RoutingRequest.class)).isPresent();
    return problems.all();
  }

  private static String names(int count) {
    return IntStream.range(0, count).mapToObj(i -> "n" + i).collect(Collectors.joining(", "));
  }
}
