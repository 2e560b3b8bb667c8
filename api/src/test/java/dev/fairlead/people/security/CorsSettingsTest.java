package dev.fairlead.people.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CorsSettingsTest {
  /** Fails when an entry permits pages of more than one origin, or of none. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "*",
        "null",
        "https://*.example.com",
        "https://portal.example.com/",
        "https://Portal.example.com",
        "https://ana@portal.example.com",
        "http://portal.example.com",
        "portal.example.com",
        "https://",
        "file:///etc/passwd"
      })
  void invalidOriginStopsTheStart(String origin) {
    assertThatThrownBy(() -> new CorsSettings(List.of(origin)))
        .isInstanceOf(UnsafeEntrance.class)
        .hasMessageContaining(origin);
  }

  @Test
  void onlyListedOriginsMayUseTheApi() {
    CorsSettings settings =
        new CorsSettings(List.of(" https://portal.example.com", "http://localhost:3000", ""));

    assertThat(settings.rules("/api/v1/jobs", "https://portal.example.com")).isNotNull();
    assertThat(settings.rules("/api/v1/jobs", "http://localhost:3000")).isNotNull();
    assertThat(settings.rules("/api/v1/jobs", "https://portal.example.com:444")).isNull();
    assertThat(settings.rules("/api/v1/jobs", "https://evil.portal.example.com")).isNull();
    assertThat(settings.rules("/api/v1/jobs", "null")).isNull();
    assertThat(settings.rules("/api/v1/jobs", null)).isNull();
    assertThat(settings.rules("/swagger-ui.html", "https://portal.example.com")).isNull();
  }
}
