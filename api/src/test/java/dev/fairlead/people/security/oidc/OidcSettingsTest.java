package dev.fairlead.people.security.oidc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.people.tenant.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.mock.env.MockEnvironment;

class OidcSettingsTest {
  /** {@code settings}: as {@code name=value} below {@code fairlead.oidc}. */
  private static OidcSettings of(String... settings) {
    MockEnvironment environment = new MockEnvironment();
    List<String> all = new ArrayList<>(List.of("issuer=https://id.example", "audience=api"));
    all.addAll(List.of(settings));
    all.forEach(setting -> {
      String[] parts = setting.split("=", 2);
      environment.setProperty("fairlead.oidc." + parts[0], parts[1]);
    });
    return OidcSettings.of(environment);
  }

  private static void refused(String why, String... settings) {
    assertThatThrownBy(() -> of(settings))
        .satisfies(e ->
            assertThat(Stream.iterate(e, t -> t != null, Throwable::getCause))
                .anyMatch(t -> String.valueOf(t.getMessage()).contains(why)));
  }

  @Test
  void defaultsAreSubjectGroupsAndThreeAlgorithms() {
    OidcSettings settings = of("roles[0].value=ml", "roles[0].role=tenant-member");

    assertThat(settings.present()).isTrue();
    assertThat(settings.userClaim()).isEqualTo("sub");
    assertThat(settings.rolesClaim()).isEqualTo("groups");
    assertThat(settings.algorithms()).containsExactly("RS256", "PS256", "ES256");
    assertThat(settings.roles().getFirst().tenant()).isEqualTo("default");
    assertThat(settings.roles().getFirst().parsed()).isEqualTo(Role.TENANT_MEMBER);
    assertThat(of("issuer=").present()).isFalse();
  }

  /** Fails when a setting that gives other users access is accepted. */
  @Test
  void insecureIssuerSettingsStopTheStart() {
    refused("fairlead.oidc.audience", "audience=");
    refused("fairlead.oidc.issuer", "issuer=http://id.example");
    refused("fairlead.oidc.algorithms", "algorithms=none");
    refused("fairlead.oidc.algorithms", "algorithms=RS256,HS256");
    refused("fairlead.oidc.roles", "roles[0].value=x", "roles[0].role=root");
    refused("fairlead.oidc.roles", "roles[0].value=x", "roles[0].role=project-owner");
    refused(
        "fairlead.oidc.roles",
        "roles[0].value=x",
        "roles[0].role=tenant-owner",
        "roles[0].project=nlp");
    refused(
        "not the id of a project",
        "roles[0].value=x",
        "roles[0].role=project-member",
        "roles[0].project=nlp");
  }
}
