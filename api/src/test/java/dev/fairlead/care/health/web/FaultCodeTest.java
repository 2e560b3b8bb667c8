package dev.fairlead.care.health.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.BodyReader;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.Refusal;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class FaultCodeTest {
  /** Fails when the answer repeats a code of any length. */
  @Test
  void codeThatIsTooLongIsNotRepeated() throws IOException {
    String text = "{\"quarantine\": \"GPU\", \"code\": \"%s\"}".formatted("A".repeat(100_000));
    Body body = BodyReader.json(new ByteArrayInputStream(text.getBytes(UTF_8)));

    Refusal refused =
        catchThrowableOfType(
            Refusal.class,
            () -> BodyBinder.bind(body, RuleController.ReplayHealthRuleRequest.class));

    assertThat(refused.problems())
        .extracting(FieldProblem::detail)
        .singleElement(STRING)
        .hasSizeLessThan(100);
  }
}
