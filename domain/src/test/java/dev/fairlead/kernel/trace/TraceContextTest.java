package dev.fairlead.kernel.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.Sha256;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceContextTest {
  private static final String SAMPLED = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  @Test
  void contextRoundTrips() {
    assertThat(TraceContext.parse(SAMPLED).orElseThrow().traceparent()).isEqualTo(SAMPLED);
    assertThat(TraceContext.parse(SAMPLED.replace("-01", "-00")).orElseThrow().sampled()).isFalse();
  }

  @Test
  void laterVersionMayHaveMoreFields() {
    assertThat(TraceContext.parse("cc" + SAMPLED.substring(2) + "-more")).isPresent();
  }

  /** The cases of the specification's section 3.2.2. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1\n"
      })
  void invalidContextIsIgnored(String text) {
    assertThat(TraceContext.parse(text)).isEmpty();
  }

  /** Fails when the sampling bits overlap the version of a UUID, or the share is wrong. */
  @Test
  void sampledShareMatchesTheConfiguredRatio() {
    long kept =
        IntStream.range(0, 10_000)
            .mapToObj(i -> TraceContext.begin(Sha256.hex("job " + i).substring(0, 32), 0.1))
            .filter(TraceContext::sampled)
            .count();

    assertThat(kept).isBetween(900L, 1_100L);
    String last = "f".repeat(32);
    assertThat(TraceContext.begin(last, 1).sampled()).isTrue();
    assertThat(TraceContext.begin("1" + "0".repeat(31), 0).sampled()).isFalse();
  }
}
