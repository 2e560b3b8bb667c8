package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.projectsecret.ProjectSecret;
import dev.fairlead.secret.KeyRotation;
import dev.fairlead.secret.Secret;
import dev.fairlead.world.TestWorld;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Secrets of projects are stored under data keys. */
class EncryptedSecretsTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  private ProjectSecret kept(String name) {
    ProjectSecret secret =
        new ProjectSecret(
            stores.ids().next(),
            world.tenant().id(),
            world.project().id(),
            name,
            new TreeMap<>(Map.of("token", 12)),
            NOW,
            new ProjectSecret.Change(NOW, "ana"),
            1);
    stores.secrets().insert(secret, new TreeMap<>(Map.of("token", new Secret("canary-value"))));
    return secret;
  }

  private Map<String, ?> values(String name) {
    return stores.secrets().values(world.tenant().id(), world.project().id(), List.of(name));
  }

  @Test
  void theRowDoesNotShowTheValue() {
    ProjectSecret secret = kept("hub");

    String row =
        stores
            .jdbc()
            .sql("SELECT to_jsonb(s)::text FROM project_secret s WHERE id = :id")
            .param("id", secret.id())
            .query(String.class)
            .single();

    assertThat(row).contains("hub", "token").doesNotContain("canary");
  }

  /** Fails when the row's id is no part of what is encrypted. */
  @Test
  void whatIsEncryptedDoesNotOpenInAnotherRow() {
    ProjectSecret one = kept("one");
    ProjectSecret other = kept("other");
    stores
        .jdbc()
        .sql(
            "UPDATE project_secret SET (data_key, content) = (SELECT data_key, content FROM"
                + " project_secret WHERE id = :from) WHERE id = :to")
        .param("from", one.id())
        .param("to", other.id())
        .update();

    assertThatThrownBy(() -> values("other")).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aKeyThatIsNotHereIsNamedAndTold() {
    KeyRotation keys = stores.bean(KeyRotation.class);
    ProjectSecret secret = kept("locked");
    assertThat(keys.used()).containsKey(keys.known().first());
    stores
        .jdbc()
        .sql("UPDATE project_secret SET key_id = '000000000000' WHERE id = :id")
        .param("id", secret.id())
        .update();

    assertThat(keys.used().get("000000000000")).isEqualTo(1L);
    assertThatThrownBy(() -> values("locked"))
        .hasMessageContainingAll("000000000000", "FAIRLEAD_ENCRYPTION_KEYS");
    stores.secrets().delete(secret);
  }
}
