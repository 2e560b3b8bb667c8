package dev.fairlead.launcher.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.ScriptedApi;
import dev.fairlead.launcher.ScriptedApi.Answer;
import dev.fairlead.launcher.demo.TenantProbes.Side;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class TenantProbesTest {
  private static final Answer ABSENT =
      new Answer(404, "{\"code\":\"NOT_FOUND\",\"detail\":\"There is no such thing.\"}");

  @Test
  void isolationHoldsWhenAForeignTenantLooksMissing() throws IOException {
    assertThat(breaches(request -> ABSENT)).isEmpty();
  }

  /** Fails when a line of the table is shown without a verdict. */
  @Test
  void eachResponseThatRevealsTheOtherTenantIsNamed() throws IOException {
    assertThat(breaches(request -> Answer.ok("{\"items\":[]}")))
        .as("the other's things are there")
        .hasSize(16);
    assertThat(
            breaches(request ->
                request.contains("never") || request.contains("job_01")
                    ? ABSENT
                    : new Answer(403, "{\"code\":\"FORBIDDEN\",\"detail\":\"not yours\"}")))
        .as("a refusal says that it exists")
        .hasSize(16);
    assertThat(
            breaches(request ->
                request.contains("job_globex")
                    ? new Answer(404, "{\"code\":\"NOT_FOUND\",\"detail\":\"not in acme\"}")
                    : ABSENT))
        .as("a different text than for a guess")
        .hasSize(4)
        .allMatch(line -> line.startsWith("acme "));
  }

  /** Two tenants with objects, and the answers that each gets about objects of the other. */
  private static List<String> breaches(Function<String, Answer> foreign) throws IOException {
    try (ScriptedApi acme = new ScriptedApi(request -> own("acme", "globex", request, foreign));
        ScriptedApi globex = new ScriptedApi(request -> own("globex", "acme", request, foreign));
        FairleadApi one = acme.client();
        FairleadApi other = globex.client()) {
      PrintStream out = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
      return new TenantProbes(out)
          .between(new Side("acme", one, "job_acme"), new Side("globex", other, "job_globex"));
    }
  }

  private static Answer own(
      String tenant, String other, String request, Function<String, Answer> foreign) {
    return request.contains(other) || request.contains("never") || request.contains("job_01")
        ? foreign.apply(request)
        : Answer.ok("{\"state\":\"RUNNING\",\"name\":\"%s-train\"}".formatted(tenant));
  }
}
