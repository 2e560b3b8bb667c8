package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.keyring.KeyRotation;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.people.secret.ProjectSecret;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Secrets of projects are stored under data keys. */
class EncryptedSecretsTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private static final Connection CONNECTION =
      new Connection.Kubernetes("https://api.example", "Y2E=", new Secret("t0ken"), null, null);
  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  private ProjectSecret kept(String name) {
    return kept(stores, world, name);
  }

  private static ProjectSecret kept(Stores stores, TestWorld world, String name) {
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
    return stores
        .secrets()
        .values(stores.secrets().named(world.tenant().id(), world.project().id(), List.of(name)));
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

  /** Fails when the row's id is not part of the encrypted data. */
  @Test
  void ciphertextDoesNotDecryptInAnotherRow() {
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

  /** Fails when one of these values is not part of the encrypted data. */
  @ParameterizedTest
  @ValueSource(strings = {"name = 'moved'", "id = gen_random_uuid()", "version = version + 1"})
  void ciphertextDoesNotDecryptUnderAnotherKey(String change) {
    ProjectSecret secret = kept("stays");
    assertThat(values("stays")).isNotEmpty();
    stores
        .jdbc()
        .sql("UPDATE project_secret SET " + change + " WHERE id = :id")
        .param("id", secret.id())
        .update();

    assertThatThrownBy(() -> values(change.contains("moved") ? "moved" : "stays"))
        .isInstanceOf(IllegalStateException.class);
  }

  /** Fails when tenant and project are not part of the encrypted data. */
  @Test
  void ciphertextDoesNotDecryptInAnotherProject() {
    ProjectSecret secret = kept("wanders");
    TestWorld thief = TestWorld.in(stores);
    Project sibling = world.newProject("sibling");
    stores.transactions().run(() -> stores.tenants().insert(sibling));
    for (Project other : List.of(sibling, thief.project())) {
      stores
          .jdbc()
          .sql("UPDATE project_secret SET tenant = :tenant, project = :project WHERE id = :id")
          .param("tenant", other.tenant().value())
          .param("project", other.id().value())
          .param("id", secret.id())
          .update();
      List<ProjectSecret> seen =
          stores.secrets().named(other.tenant(), other.id(), List.of("wanders"));
      assertThat(seen).hasSize(1);
      assertThatThrownBy(() -> stores.secrets().values(seen))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  /**
   * Fails when the version is not part of the encrypted data: an old token would become valid
   * again.
   */
  @Test
  void restoredOldValueCannotBeDecrypted() {
    ProjectSecret first = kept("token");
    String old =
        stores
            .jdbc()
            .sql("SELECT to_jsonb(s)::text FROM project_secret s WHERE id = :id")
            .param("id", first.id())
            .query(String.class)
            .single();
    ProjectSecret second = first.replaced(first.keys(), new ProjectSecret.Change(NOW, "ben"));
    stores.secrets().update(second, new TreeMap<>(Map.of("token", new Secret("newer"))));
    stores
        .jdbc()
        .sql(
            "UPDATE project_secret SET content = CAST(:old AS jsonb) ->> 'content', data_key ="
                + " CAST(:old AS jsonb) ->> 'data_key' WHERE id = :id")
        .param("old", old)
        .param("id", first.id())
        .update();

    assertThatThrownBy(() -> values("token")).isInstanceOf(IllegalStateException.class);
  }

  /** Fails when a row is skipped: its key could never be removed. */
  @Test
  void allSecretsUnderAnOldKeyAreReencrypted() {
    String url = Embedded.migratedDatabase();
    String old = inline('a');
    ClusterId cluster;
    try (PostgresInstallation before = on(url, old)) {
      ProjectSecret _ = kept(before, TestWorld.in(before), "hub");
      cluster = SealedConnectionTest.register(before, TestWorld.in(before), CONNECTION);
    }
    try (PostgresInstallation then = on(url, inline('b') + "," + old)) {
      KeyRotation keys = then.bean(KeyRotation.class);
      assertThat(keys.used()).containsValue(2L);

      assertThat(keys.rewrap(null, 100).moved()).isEqualTo(2);

      assertThat(keys.used()).hasSize(1).containsValue(2L);
      assertThat(keys.rewrap(null, 100).moved()).isZero();
      assertThat(then.inventory().connection(cluster)).isEqualTo(CONNECTION);
      ProjectSecret hub =
          then.jdbc()
              .sql("SELECT tenant, project FROM project_secret")
              .query((row, n) ->
                  then.secrets()
                      .find(
                          new TenantId(row.getObject("tenant", UUID.class)),
                          new ProjectId(row.getObject("project", UUID.class)),
                          "hub")
                      .orElseThrow())
              .single();
      assertThat(then.secrets().values(List.of(hub)).get("hub"))
          .containsEntry("token", new Secret("canary-value"));
    }
  }

  /** Fails when an undecryptable row is read repeatedly and blocks the rows after it. */
  @Test
  void undecryptableSecretDelaysNoOther() throws GeneralSecurityException {
    String url = Embedded.migratedDatabase();
    String old = inline('a');
    try (PostgresInstallation before = on(url, old)) {
      TestWorld world = TestWorld.in(before);
      for (String name : List.of("one", "two", "three")) {
        ProjectSecret _ = kept(before, world, name);
      }
      before
          .jdbc()
          .sql(
              "UPDATE project_secret s SET data_key = o.data_key FROM project_secret o WHERE s.name"
                  + " = 'one' AND o.name = 'two'")
          .update();
    }
    try (PostgresInstallation then = on(url, inline('b') + "," + old)) {
      KeyRotation keys = then.bean(KeyRotation.class);
      KeyRotation.Step first = keys.rewrap(null, 1);
      KeyRotation.Step second = keys.rewrap(first.next(), 1);
      KeyRotation.Step third = keys.rewrap(second.next(), 1);

      assertThat(first.locked()).hasSize(1);
      assertThat(List.of(first.moved(), second.moved(), third.moved())).containsExactly(0, 1, 1);
      assertThat(keys.rewrap(third.next(), 1).next()).as("the end of the pass").isNull();
      assertThat(keys.used().values()).containsExactlyInAnyOrder(1L, 2L);
    }
  }

  private static PostgresInstallation on(String url, String keys) {
    return PostgresInstallation.on(
        url,
        Embedded.server().user(),
        Embedded.server().password(),
        "--fairlead.encryption-keys=" + keys);
  }

  private static String inline(char letter) {
    byte[] key = String.valueOf(letter).repeat(32).getBytes(StandardCharsets.UTF_8);
    return "base64:" + Base64.getEncoder().encodeToString(key);
  }

  @Test
  void missingKeyIsNamedAndReported() {
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
