package dev.fairlead.people.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.diagnostics.FailureAnalysis;

class LocalAuthenticationTest {
  private static final String TOKEN = "a-token-that-is-long";

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "::1", "localhost", "127.0.0.9"})
  void noTokenIsNeededOnLoopback(String bind) {
    assertThat(LocalAuthentication.of(bind, "", false).open()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.7", "no.such.host.invalid", ""})
  void serviceOnAPublicAddressDoesNotStartWithoutAToken(String bind) {
    assertThatThrownBy(() -> LocalAuthentication.of(bind, "", false))
        .isInstanceOf(UnsafeEntrance.class);
    assertThat(LocalAuthentication.of(bind, TOKEN, false).open()).isFalse();
  }

  @Test
  void shortTokenIsRejectedEverywhere() {
    assertThatThrownBy(() -> LocalAuthentication.of("127.0.0.1", "short", false))
        .isInstanceOf(UnsafeEntrance.class);
  }

  @Test
  void onlyTheExactTokenIsAccepted() {
    LocalAuthentication entrance = LocalAuthentication.of("0.0.0.0", TOKEN, false);

    assertThat(entrance.accepts(TOKEN)).isTrue();
    assertThat(entrance.accepts("")).isFalse();
    assertThat(entrance.accepts(TOKEN + "x")).isFalse();
    assertThat(LocalAuthentication.of("127.0.0.1", "", false).accepts("")).isFalse();
    assertThat(entrance.toString()).doesNotContain(TOKEN);
  }

  @Test
  void failedStartNamesItsCauseAndTheSetting() {
    UnsafeEntrance failure =
        org.assertj.core.api.Assertions.catchThrowableOfType(
            UnsafeEntrance.class, () -> LocalAuthentication.of("0.0.0.0", "", false));

    FailureAnalysis analysis = new UnsafeEntranceAnalyzer().analyze(failure, failure);

    assertThat(analysis.getDescription()).contains("0.0.0.0");
    assertThat(analysis.getAction()).contains("FAIRLEAD_BOOTSTRAP_TOKEN", "FAIRLEAD_BIND");
  }

  /**
   * Fails when a caller without a token is the local administrator although an issuer is
   * configured.
   */
  @Test
  void withAnIssuerTheServiceBindsPubliclyAndNoCallerIsLocalAdministrator() {
    assertThat(LocalAuthentication.of("0.0.0.0", "", true).open()).isFalse();
    assertThat(LocalAuthentication.of("0.0.0.0", "", true).accepts("")).isFalse();
    assertThat(LocalAuthentication.of("127.0.0.1", "", true).open()).isFalse();
    assertThat(LocalAuthentication.of("127.0.0.1", TOKEN, true).open()).isFalse();
  }
}
