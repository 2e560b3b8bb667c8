package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.work.serving.Rollout;
import dev.fairlead.work.serving.ServiceState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Rollouts that were paused by a version whose pauses had no time and user. */
class PausedRolloutsTest {
  private static final String ROW =
      """
      INSERT INTO model_service (id, document, tenant, route, revision, content)
      VALUES (gen_random_uuid(), :name, gen_random_uuid(), :name, 3, :content)
      """;
  private static final String CONTENT =
      """
      {"document":"p/%s","latest":2,"stable":1,"revision":3,"replicas":[],"weights":{"1":95,"2":5},\
      "rollout":{"target":2,"judged":true,"step":0,"share":5,"phase":"OBSERVING","since":"2030-01-01T09:00:00Z",\
      "test":null,"reason":"said \\"paused\\":true \\u0000","paused":%s}}\
      """;

  /** Fails when an upgrade continues the steps of a paused rollout, or pauses another one. */
  @Test
  void earlierPauseRemains() {
    String url = Embedded.newDatabase();
    Embedded.migrate(url, "4020");
    SingleConnectionDataSource connection =
        new SingleConnectionDataSource(
            url, Embedded.server().user(), Embedded.server().password(), true);
    JdbcClient jdbc = JdbcClient.create(connection);
    int _ = jdbc.sql("SET session_replication_role = replica").update();
    for (boolean paused : List.of(true, false)) {
      String name = paused ? "held" : "open";
      int _ =
          jdbc.sql(ROW)
              .param("name", name)
              .param("content", CONTENT.formatted(name, paused))
              .update();
    }

    Embedded.migrate(url, "latest");

    Rollout held = rollout(jdbc, "held");
    assertThat(held.pause()).isNotNull();
    assertThat(held.pause().by()).isEqualTo("an unknown user");
    assertThat(Duration.between(held.pause().since(), Instant.now()))
        .isLessThan(Duration.ofMinutes(10));
    assertThat(held.reason()).startsWith("said \"paused\":true");
    assertThat(rollout(jdbc, "open").paused()).isFalse();
    connection.destroy();
  }

  private static Rollout rollout(JdbcClient jdbc, String name) {
    String content =
        jdbc.sql("SELECT content FROM model_service WHERE document = :name")
            .param("name", name)
            .query(String.class)
            .single();
    return Json.read(content, ServiceState.class).rollout();
  }
}
