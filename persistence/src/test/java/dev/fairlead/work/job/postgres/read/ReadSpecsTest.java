package dev.fairlead.work.job.postgres.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.JobSpec;
import org.junit.jupiter.api.Test;

class ReadSpecsTest {
  @Test
  void specIsParsedOnceWithTheSameResult() {
    JobSpec spec = Specs.job("once").build();

    JobSpec read = ReadSpecs.of(Json.write(spec));

    assertThat(read).isEqualTo(spec);
    assertThat(ReadSpecs.of(Json.write(spec)).roles()).isSameAs(read.roles());
  }

  /**
   * Fails when the name is part of the cached value, or the first name is returned for other jobs.
   */
  @Test
  void jobsDifferingOnlyByNameShareTheParsedSpec() {
    JobSpec one = ReadSpecs.of(Json.write(Specs.job("one").build()));

    JobSpec two = ReadSpecs.of(Json.write(Specs.job("two").build()));

    assertThat(two).isEqualTo(Specs.job("two").build());
    assertThat(two.roles()).isSameAs(one.roles());
  }

  @Test
  void nameThatContainsADelimiterIsReadInFull() {
    String text = Json.write(Specs.job("quote").build()).replace("\"quote\"", "\"a\\\"b\"");

    assertThat(ReadSpecs.of(text).name()).isEqualTo("a\"b");
  }

  /** Fails when the older half is never evicted: the cache then grows with every job. */
  @Test
  void unusedEntriesAreEvictedByNewOnes() {
    JobSpec forgotten = Specs.job("forgotten").build();
    String text = Json.write(forgotten);
    JobSpec read = ReadSpecs.of(text);
    String long1 = Json.write(forgotten.annotated("long", "x".repeat(15_000)));

    for (int i = 0; i < 2 * ReadSpecs.MOST_CHARACTERS / 15_000; i++) {
      assertThat(ReadSpecs.of(long1.replace("xxxxx", i + "xx"))).isNotNull();
    }

    assertThat(ReadSpecs.of(text)).isNotSameAs(read);
  }

  @Test
  void veryLongTextIsNotCached() {
    String text = Json.write(Specs.job("long").build().annotated("long", "y".repeat(30_000)));

    assertThat(ReadSpecs.of(text)).isNotSameAs(ReadSpecs.of(text));
  }

  /** Fails when each waiting job has a separate copy of the spec fields that decisions read. */
  @Test
  void partsReadByDecisionsAreSharedToo() {
    JobSpec one = ReadSpecs.decided(Json.write(Specs.job("one").label("team", "a").build()));

    JobSpec two = ReadSpecs.decided(Json.write(Specs.job("two").label("team", "a").build()));

    assertThat(two).isEqualTo(Specs.job("two").label("team", "a").build().decided());
    assertThat(two.labels()).isEqualTo(one.labels());
    assertThat(two.roles()).isSameAs(one.roles());
  }
}
