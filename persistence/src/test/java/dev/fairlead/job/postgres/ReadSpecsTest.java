package dev.fairlead.job.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.job.Specs;
import dev.fairlead.postgres.Json;
import dev.fairlead.spec.JobSpec;
import org.junit.jupiter.api.Test;

class ReadSpecsTest {
  @Test
  void aTextIsParsedOnceAndMeansTheSame() {
    JobSpec spec = Specs.job("once").build();

    JobSpec read = ReadSpecs.of(Json.write(spec));

    assertThat(read).isEqualTo(spec);
    assertThat(ReadSpecs.of(Json.write(spec))).isSameAs(read);
  }

  /** Fails when the older half is never let go: then what is known grows with every job. */
  @Test
  void whatWasNotAskedForIsForgottenWhenOthersCome() {
    String text = Json.write(Specs.job("forgotten").build());
    JobSpec read = ReadSpecs.of(text);
    String long1 = text.replace("forgotten", "x".repeat(15_000));

    for (int i = 0; i < 200; i++) {
      assertThat(ReadSpecs.of(long1.replace("xxxxx", i + "xx"))).isNotNull();
    }

    assertThat(ReadSpecs.of(text)).isNotSameAs(read);
  }

  @Test
  void aVeryLongTextIsNotKept() {
    String text = Json.write(Specs.job("long").build()).replace("long", "y".repeat(30_000));

    assertThat(ReadSpecs.of(text)).isNotSameAs(ReadSpecs.of(text));
  }
}
