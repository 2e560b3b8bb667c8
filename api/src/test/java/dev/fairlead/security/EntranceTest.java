package dev.fairlead.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.diagnostics.FailureAnalysis;

class EntranceTest {
  private static final String TOKEN = "a-token-that-is-long";

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "::1", "localhost", "127.0.0.9"})
  void onLoopbackNoTokenIsNeeded(String bind) {
    assertThat(new Entrance(bind, "").open()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.7", "no.such.host.invalid", ""})
  void elsewhereTheServiceDoesNotStartWithoutAToken(String bind) {
    assertThatThrownBy(() -> new Entrance(bind, "")).isInstanceOf(UnsafeEntrance.class);
    assertThat(new Entrance(bind, TOKEN).open()).isFalse();
  }

  @Test
  void aShortTokenIsRefusedEverywhere() {
    assertThatThrownBy(() -> new Entrance("127.0.0.1", "short")).isInstanceOf(UnsafeEntrance.class);
  }

  @Test
  void onlyTheTokenItselfIsAccepted() {
    Entrance entrance = new Entrance("0.0.0.0", TOKEN);

    assertThat(entrance.accepts(TOKEN)).isTrue();
    assertThat(entrance.accepts("")).isFalse();
    assertThat(entrance.accepts(TOKEN + "x")).isFalse();
    assertThat(new Entrance("127.0.0.1", "").accepts("")).isFalse();
    assertThat(entrance.toString()).doesNotContain(TOKEN);
  }

  @Test
  void whyItDidNotStartIsSaidWithWhatToSet() {
    UnsafeEntrance failure =
        org.assertj.core.api.Assertions.catchThrowableOfType(
            UnsafeEntrance.class, () -> new Entrance("0.0.0.0", ""));

    FailureAnalysis analysis = new UnsafeEntranceAnalyzer().analyze(failure, failure);

    assertThat(analysis.getDescription()).contains("0.0.0.0");
    assertThat(analysis.getAction()).contains("FAIRLEAD_BOOTSTRAP_TOKEN", "FAIRLEAD_BIND");
  }
}
