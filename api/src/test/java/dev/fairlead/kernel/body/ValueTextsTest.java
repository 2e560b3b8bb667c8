package dev.fairlead.kernel.body;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ValueTextsTest {
  private record Values(JobId job, Duration lasts, Flavor flavor) {}

  /** Fails when a response shows the parts of a value, or a duration in another form. */
  @Test
  void valuesHaveTheFormOfRequests() {
    JobId job = new JobId(new UUID(0, 1));
    Values values =
        new Values(job, Duration.ofMinutes(90), new Flavor("H100", CapacityType.RESERVED));
    assertThat(StrictJson.tree(values).toString())
        .isEqualTo(
            """
            {"job":"%s","lasts":"90m","flavor":"H100/RESERVED"}\
            """
                .formatted(job.text()));
    assertThat(job.text()).startsWith("job_");
  }

  private record Part(String shown, String hidden) {}

  private record Whole(
      @JsonIgnoreProperties("hidden") Part one, @JsonIgnoreProperties("hidden") List<Part> all) {}

  /** Fails when a response shows the internal parts of a value, alone or in a list. */
  @Test
  void hiddenPartsOfValuesAreNotWritten() {
    Part part = new Part("yes", "no");
    assertThat(StrictJson.tree(new Whole(part, List.of(part))).toString())
        .isEqualTo(
            """
            {"one":{"shown":"yes"},"all":[{"shown":"yes"}]}\
            """);
  }
}
