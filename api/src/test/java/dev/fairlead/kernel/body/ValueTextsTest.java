package dev.fairlead.kernel.body;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import java.time.Duration;
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
}
