package dev.fairlead.kernel.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.memory.SeededIds;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdTextTest {
  @Test
  void everyIdRoundTrips() {
    Random random = new Random(1);
    for (int i = 0; i < 10_000; i++) {
      UUID id = new UUID(random.nextLong(), random.nextLong());
      assertThat(IdText.decode(IdText.encode(id))).contains(id);
    }
  }

  @Test
  void boundsOfTheRangeAreAccepted() {
    assertThat(IdText.encode(new UUID(0, 0))).isEqualTo("0".repeat(26));
    assertThat(IdText.encode(new UUID(-1, -1))).isEqualTo("7" + "z".repeat(25));
    assertThat(IdText.encode(new UUID(0, 32))).isEqualTo("0".repeat(24) + "10");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0",
        "80000000000000000000000000",
        "0000000000000000000000000i",
        "0000000000000000000000000l",
        "0000000000000000000000000o",
        "0000000000000000000000000u",
        "0000000000000000000000000A",
        "000000000000000000000000000",
        "0000000000000000000000000-"
      })
  void otherTextIsNotAnId(String text) {
    assertThat(IdText.decode(text)).isEmpty();
  }

  @Test
  void prefixedIdIsParsedByItsKindOnly() {
    JobId job = new JobId(new SeededIds(1).next());

    assertThat(job.text()).startsWith("job_").hasSize(30);
    assertThat(IdText.decode(IdKind.JOB, job.text())).contains(job.value());
    assertThat(IdText.decode(IdKind.NODE, job.text())).isEmpty();
    assertThat(IdText.decode(IdKind.JOB, job.bare())).isEmpty();
    assertThat(IdText.decode(IdKind.JOB, job.text().toUpperCase(Locale.ROOT))).isEmpty();
  }

  @Test
  void idsAreOrderedLikeTheirTexts() {
    Random random = new Random(2);
    for (int i = 0; i < 10_000; i++) {
      JobId a = new JobId(new UUID(random.nextLong(), random.nextLong()));
      JobId b = new JobId(new UUID(random.nextLong(), random.nextLong()));
      assertThat(Integer.signum(a.compareTo(b)))
          .isEqualTo(Integer.signum(a.text().compareTo(b.text())));
    }
  }

  @Test
  void seededIdsRepeatAndRise() {
    SeededIds first = new SeededIds(5);
    SeededIds again = new SeededIds(5);
    SeededIds other = new SeededIds(6);
    JobId before = new JobId(first.next());

    assertThat(before.value()).isEqualTo(again.next()).isNotEqualTo(other.next());
    assertThat(before.value().version()).isEqualTo(7);
    assertThat(new JobId(first.next())).isGreaterThan(before);
  }
}
