package dev.fairlead.work.job.submit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.JobId;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class JobNamesTest {
  private static JobId id(long low) {
    return new JobId(new UUID(0x0190_0000_0000_7000L, low));
  }

  @Test
  void jobNamesAreDeterministicAndEndWithTheId() {
    List<String> names = JobNames.of(id(1));

    assertThat(names).isEqualTo(JobNames.of(id(1))).doesNotHaveDuplicates().hasSize(5);
    assertThat(names.subList(0, 4)).allMatch(name -> name.matches("[a-z]+-[a-z]+-[1-9][0-9]*"));
    assertThat(names).allMatch(name -> name.length() <= 40).endsWith(id(1).bare());
  }

  /** Fails when consecutive ids share words: names of unnamed jobs would be similar. */
  @Test
  void consecutiveJobsHaveDifferentNames() {
    assertThat(LongStream.range(0, 1_000).mapToObj(i -> JobNames.of(id(i)).getFirst()).distinct())
        .hasSizeGreaterThan(990);
    assertThat(LongStream.range(0, 64).mapToObj(i -> first(id(i))).distinct())
        .hasSizeGreaterThan(30);
  }

  private static String first(JobId id) {
    return JobNames.of(id).getFirst().split("-")[0];
  }
}
